import type { Progress } from './run-permits';

/** How often the line is written: often for a person, seldom into a log file. */
const TERMINAL_MS = 200;
const FILE_MS = 10_000;

/** One line that is written over and over on a terminal, and now and then into a file. */
export function startProgressLine(total: { readonly cases: number; readonly activities: number }): {
  readonly show: (progress: Progress) => void;
  readonly end: () => void;
} {
  const { stderr } = process;
  const everyMs = stderr.isTTY ? TERMINAL_MS : FILE_MS;
  const start = Date.now();
  let shownAt = start;
  return {
    show: ({ phase, cases, activities, failed }) => {
      if (Date.now() - shownAt < everyMs) return;
      shownAt = Date.now();
      const done =
        phase === 'running'
          ? `${cases}/${total.cases} cases, ${activities}/${total.activities} activities`
          : `${cases}/${total.cases} cases proved`;
      const text = `${done}${failed > 0 ? `, ${failed} FAILED` : ''}, ${Math.round((shownAt - start) / 1_000)} s`;
      stderr.write(stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
}
