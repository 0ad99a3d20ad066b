import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first executable of that name in the folders, else on PATH, else null. */
export function findExecutable(name: string, folders: readonly string[] = []): string | null {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of [...folders, ...path]) {
    const candidate = join(folder, file);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here; look further.
    }
  }
  return null;
}
