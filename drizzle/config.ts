import { defineConfig } from 'drizzle-kit'

/** `bun run migration NAME` writes the next migration for both engines from `server/database/schema.ts`. */
export default defineConfig({
  dialect: process.env.DATABASE_URL ? 'postgresql' : 'sqlite',
  schema: './server/database/schema.ts',
  out: process.env.DATABASE_URL ? './drizzle/postgresql' : './drizzle/sqlite',
  casing: 'snake_case',
})
