import { type SQL, sql } from 'drizzle-orm'
import { engine } from './columns.ts'

/** The texts of a parameter that is a JSON array, as a query: a parameter for each costs more than most queries. */
export function selectTexts(parameter: SQL<string>): SQL {
  return engine === 'sqlite'
    ? sql`select value from json_each(${parameter})`
    : sql`select json_array_elements_text(cast(${parameter} as json))`
}
