import { defineConfig } from 'prisma/config';

/**
 * Settings of the Prisma command line. The programs themselves do not read this file: they build
 * their client with `createDatabase` and migrate with `migrate`.
 */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://unset' },
});
