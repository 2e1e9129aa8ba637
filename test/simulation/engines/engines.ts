import type {Engine} from './engine.ts';

/** Opens an engine; imported when it is first needed, because starting Postgres takes seconds. */
export const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  sqlite: async () => (await import('./sqlite.ts')).openSqlite(),
  postgres: async () => (await import('./postgres.ts')).openPostgres(),
};
