import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeCertificates } from '../support/certificates.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makeTicket } from '../support/tickets.ts'
import { quoted, table } from './page.ts'
import { testWith } from './runtimes.ts'

// Those of backups are there only with backups.
const bellhop = await startBellhop({ settings: { BELLHOP_BACKUP: temporaryFolder('backups') } })
afterAll(() => bellhop.stop())
const read = async (path: string) => (await fetch(bellhop.url + path)).text()

const acme = await bellhop.organization()
await createEndpoint(bellhop.deps, acme.orgId, { url: 'https://example.com/', events: ['ticket.created'] })
await makeTicket(acme)
const metrics = await read('/metrics')
// That of the certificate is there only with built-in HTTPS.
const { valid, ca } = await makeCertificates()
const folder = temporaryFolder('certificate')
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
writeFileSync(cert, valid.cert)
writeFileSync(key, valid.key)
const secured = await startBellhop({ settings: { BELLHOP_TLS_CERT: cert, BELLHOP_TLS_KEY: key } })
afterAll(() => secured.stop())
const metricsOfSecured = await (await fetch(`${secured.url}/metrics`, { tls: { ca } })).text()
const names = [...new Set(namesIn(metrics).concat(namesIn(metricsOfSecured)))]
const alerts = await read('/docs/bellhop-alerts.yml')
const dashboard = await read('/docs/bellhop-dashboard.json')
const rules = join(temporaryFolder('alerts'), 'alerts.yml')
writeFileSync(rules, alerts)

function namesIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
}

test('the guide lists the metrics that the server has', () => {
  const documented = table('Metric').flatMap(([cell = '']) => quoted(cell))
  expect(documented.sort()).toEqual(names.toSorted())
})

test('the alert rules and the dashboard ask for metrics that the server has', () => {
  for (const text of [alerts, dashboard]) {
    const used = [...text.matchAll(/\b(?:bellhop|process)_\w+/g)].map(([name]) => name)
    const missing = used.filter((name) => !names.includes(name.replace(/_(?:bucket|count|sum)$/, '')))
    expect(used.length).toBeGreaterThan(10)
    expect(missing).toEqual([])
  }
})

test('the dashboard shows every metric of Bellhop, but those that are there twice', () => {
  const shown = names.filter((name) => dashboard.includes(name))
  // The quantiles of the event loop are in the longest hold and delay.
  const twice = ['bellhop_event_loop_hold_seconds', 'bellhop_event_loop_delay_seconds']
  expect([...shown, ...twice, 'process_start_time_seconds'].sort()).toEqual(names.toSorted())
})

testWith(['promtool'], 'the metrics have names and texts as Prometheus wants them', async () => {
  expect(await promtool(['check', 'metrics'], metrics)).toBe('')
  // It does find something.
  const unlike = '# TYPE requests counter\nrequests 1\n'
  expect(promtool(['check', 'metrics'], unlike)).rejects.toThrow('requests counter metrics should have')
})

testWith(['promtool'], 'the alert rules are valid, and so are the queries of the dashboard', async () => {
  expect(await promtool(['check', 'rules', rules])).toContain('SUCCESS: 19 rules found')
  const queries = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) =>
    String(JSON.parse(text)).replaceAll('$__rate_interval', '5m'),
  )
  expect(queries.length).toBeGreaterThan(30)
  const asRules = queries.map((expr, number) => ({ record: `query:${number}`, expr }))
  const file = join(temporaryFolder('dashboard'), 'queries.yml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }))
  expect(await promtool(['check', 'rules', file])).toContain(`SUCCESS: ${queries.length} rules found`)
})

/** What the server measures, a sample a minute for two hours, and the alert that has to come of it alone. */
const CASES: Record<string, { name: string; labels?: string; values: string }[]> = {
  BellhopDown: [{ name: 'up', values: '0x120' }],
  BellhopRestarts: [{ name: 'process_start_time_seconds', values: '0+60x120' }],
  BellhopErrors: [
    { name: 'bellhop_http_requests_total', labels: ',status="500"', values: '0+6x120' },
    { name: 'bellhop_http_requests_total', labels: ',status="200"', values: '0+94x120' },
  ],
  BellhopSlow: [
    { name: 'bellhop_http_request_duration_seconds_bucket', labels: ',le="1"', values: '0+90x120' },
    { name: 'bellhop_http_request_duration_seconds_bucket', labels: ',le="2.5"', values: '0+100x120' },
    { name: 'bellhop_http_request_duration_seconds_bucket', labels: ',le="+Inf"', values: '0+100x120' },
  ],
  BellhopEventLoopHeld: [{ name: 'bellhop_event_loop_longest_hold_seconds', values: '0.6x120' }],
  BellhopDeliveriesLate: [{ name: 'bellhop_delivery_oldest_due_seconds', values: '301x120' }],
  BellhopDeliveriesFail: [
    { name: 'bellhop_delivery_attempts_total', labels: ',outcome="timeout"', values: '0+6x120' },
    { name: 'bellhop_delivery_attempts_total', labels: ',outcome="succeeded"', values: '0+4x120' },
  ],
  BellhopMailboxNotWorking: [{ name: 'bellhop_mailboxes', labels: ',state="refused"', values: '1x120' }],
  BellhopMailLate: [{ name: 'bellhop_mail_oldest_pending_seconds', values: '601x120' }],
  BellhopRepliesLate: [{ name: 'bellhop_send_oldest_due_seconds', values: '601x120' }],
  BellhopBotNotWorking: [{ name: 'bellhop_bots', labels: ',state="taken"', values: '1x120' }],
  BellhopTelegramLate: [{ name: 'bellhop_telegram_oldest_update_seconds', values: '301x120' }],
  BellhopDiskFull: [
    { name: 'bellhop_disk_free_bytes', values: '900000000x120' },
    { name: 'bellhop_disk_size_bytes', values: '1000000000x120' },
  ],
  BellhopDiskFills: [
    { name: 'bellhop_disk_free_bytes', values: '30000000000-50000000x120' },
    { name: 'bellhop_disk_size_bytes', values: '100000000000x120' },
  ],
  BellhopLogOfWritesGrows: [{ name: 'bellhop_wal_bytes', values: '1100000000x120' }],
  BellhopFewDescriptors: [
    { name: 'process_open_fds', values: '800x120' },
    { name: 'process_max_fds', values: '1000x120' },
  ],
  BellhopBackupsFail: [{ name: 'bellhop_backup_failures', values: '2x120' }],
  // The clock of promtool starts at 0.
  BellhopBackupOld: [
    { name: 'bellhop_backup_last_success_timestamp_seconds', values: '0x120' },
    { name: 'bellhop_backup_interval_seconds', values: '1800x120' },
  ],
  BellhopCertificateEnds: [{ name: 'bellhop_certificate_end_timestamp_seconds', values: '1000000x120' }],
}
/** A server that nothing is wrong with. */
const WELL = [
  { name: 'up', values: '1x120' },
  { name: 'process_start_time_seconds', values: '1000x120' },
  { name: 'bellhop_http_requests_total', labels: ',status="500"', values: '0+1x120' },
  { name: 'bellhop_http_requests_total', labels: ',status="200"', values: '0+99x120' },
  { name: 'bellhop_http_request_duration_seconds_bucket', labels: ',le="1"', values: '0+99x120' },
  { name: 'bellhop_http_request_duration_seconds_bucket', labels: ',le="+Inf"', values: '0+100x120' },
  { name: 'bellhop_delivery_attempts_total', labels: ',outcome="timeout"', values: '0+1x120' },
  { name: 'bellhop_delivery_attempts_total', labels: ',outcome="succeeded"', values: '0+9x120' },
  { name: 'bellhop_mailboxes', labels: ',state="paused"', values: '1x120' },
  { name: 'bellhop_send_oldest_due_seconds', values: '30x120' },
  { name: 'bellhop_disk_free_bytes', values: '30000000000x120' },
  { name: 'bellhop_disk_size_bytes', values: '100000000000x120' },
  { name: 'bellhop_backup_failures', values: '1x120' },
  { name: 'bellhop_backup_last_success_timestamp_seconds', values: '0x120' },
  { name: 'bellhop_backup_interval_seconds', values: '86400x120' },
  { name: 'bellhop_certificate_end_timestamp_seconds', values: '3000000x120' },
  { name: 'process_open_fds', values: '100x120' },
  { name: 'process_max_fds', values: '1000x120' },
]

testWith(['promtool'], 'each alert is raised when what it is for happens, and no other one', async () => {
  expect(Object.keys(CASES)).toEqual([...alerts.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name))
  const cases = [...Object.entries(CASES), ['', WELL] as const].map(([alert, measured]) => ({
    interval: '1m',
    input_series: measured.map(({ name, labels = '', values }) => ({
      series: `${name}{job="bellhop",instance="help:3000"${labels}}`,
      values,
    })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '2h',
        exp_samples: alert === '' ? [] : [{ labels: `{alertname="${alert}"}`, value: 1 }],
      },
    ],
  }))
  const file = join(temporaryFolder('alerts'), 'test.yml')
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: cases }))
  expect(await promtool(['test', 'rules', file])).toContain('SUCCESS')
})

/** Its output. Throws with what it finds wrong. */
async function promtool(words: string[], input = ''): Promise<string> {
  const child = Bun.spawn(['promtool', ...words], {
    stdin: new TextEncoder().encode(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, fault] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(out + fault)
  return out + fault
}
