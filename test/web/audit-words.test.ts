import { expect, test } from 'bun:test'
import { ACTIONS } from '../../web/settings/audit/entry-text.ts'
import { readSources } from '../support/sources.ts'

/** As in `action: 'tag.renamed'`; a name after `type:` is an event. */
const NAMED_ACTION = /\baction: '([a-z_]+\.[a-z_]+)'/g
const NAMED_ANYHOW = /(?<!\btype: )'([a-z_]+\.[a-z_]+)'/g

test('every action of the audit log has a name, and every filter option is a recorded action', async () => {
  const recorded = new Set<string>()
  for (const { path, text } of await readSources()) {
    if (!path.startsWith('server/')) continue
    const pattern = text.includes('recordAudit(') ? NAMED_ANYHOW : NAMED_ACTION
    for (const [, action = ''] of text.matchAll(pattern)) recorded.add(action)
  }
  expect(Object.keys(ACTIONS).sort()).toEqual([...recorded].sort())
})
