import { defineConfig } from 'drizzle-kit'

/** `bun run migration NAME` writes the next migration for both engines from the tables in `server/database/tables`. */
export default defineConfig({
  dialect: process.env.DATABASE_URL ? 'postgresql' : 'sqlite',
  schema: './server/database/tables/*.ts',
  out: process.env.DATABASE_URL ? './drizzle/postgresql' : './drizzle/sqlite',
  casing: 'snake_case',
})
