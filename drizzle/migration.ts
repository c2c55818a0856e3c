import { readFileSync, writeFileSync } from 'node:fs'

// `bun run migration NAME` writes the next migration of both engines from the tables in `server/database/tables`, and
// names all of them in `server/database/migrations.ts`. Read the SQL before it is committed; it is never changed after.

const ENGINES = { sqlite: '', postgresql: 'postgres://only-chooses-the-engine/' }
const TARGET = 'server/database/migrations.ts'

const [name] = process.argv.slice(2)
if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Give the migration a name in lower case, such as: bun run migration add_priority')
  process.exit(2)
}
for (const address of Object.values(ENGINES)) {
  run(['drizzle-kit/bin.cjs', 'generate', '--config=drizzle/config.ts', `--name=${name}`], address)
}
writeFileSync(TARGET, listOfMigrations())
run(['@biomejs/biome/bin/biome', 'format', '--write', TARGET])
console.log(`${TARGET} names all migrations. Read the new SQL, then run the tests.`)

function run(command: string[], address = ''): void {
  const [program, ...rest] = command
  const { exitCode } = Bun.spawnSync([process.execPath, `node_modules/${program}`, ...rest], {
    env: { ...process.env, DATABASE_URL: address },
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  if (exitCode !== 0) process.exit(exitCode)
}

/** Returns the file with new imports and lists, read from drizzle-kit's own journals. */
function listOfMigrations(): string {
  const source = readFileSync(TARGET, 'utf8')
  const imports: string[] = []
  const lists: string[] = []
  for (const engine of Object.keys(ENGINES)) {
    const journal = JSON.parse(readFileSync(`drizzle/${engine}/meta/_journal.json`, 'utf8'))
    const entries: string[] = journal.entries.map((entry: { tag: string }) => entry.tag)
    imports.push(...entries.map((tag) => importOf(engine, tag)))
    lists.push(`  ${engine}: [\n${entries.map((tag) => `    ${entryOf(engine, tag)},\n`).join('')}  ],\n`)
  }
  const middle = source.slice(source.indexOf('\nexport interface'), source.indexOf('export const MIGRATIONS'))
  return `${imports.sort().join('\n')}\n${middle}export const MIGRATIONS = {\n${lists.join('')}} satisfies Record<string, Migration[]>\n`
}

function importOf(engine: string, tag: string): string {
  return `import ${variableOf(engine, tag)} from '../../drizzle/${engine}/${tag}.sql' with { type: 'text' }`
}

function entryOf(engine: string, tag: string): string {
  return `{ name: '${tag.slice(tag.indexOf('_') + 1)}', sql: ${variableOf(engine, tag)} }`
}

function variableOf(engine: string, tag: string): string {
  return `${engine}${tag.slice(0, tag.indexOf('_'))}`
}
