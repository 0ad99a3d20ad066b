import { join, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '..', '..');

/** Every complaint of the compiler about one file, as `line: text`. */
function diagnosticsOf(file: string): readonly string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) =>
    ts.sys.readFile(path),
  );
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([file], options);
  const source = program.getSourceFile(file);
  return ts.getPreEmitDiagnostics(program, source).map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
    const line = source?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
    return `${line + 1}: ${text}`;
  });
}

describe('the types of an answer', () => {
  it('are the union of configured keys and enabled reserved keys, and refuse all else (UT-267)', () => {
    expect(diagnosticsOf(join(__dirname, 'answers.ts'))).toEqual([]);
  }, 60_000);
});
