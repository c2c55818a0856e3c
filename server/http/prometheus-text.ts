type Labels = Record<string, string>

export type Metric = { name: string; help: string } & (
  | { type: 'counter' | 'gauge'; values: { labels?: Labels; value: number }[] }
  | { type: 'histogram'; ends: number[]; values: { labels?: Labels; buckets: number[]; sum: number }[] }
)

export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] }
}

export function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', values: [{ value }] }
}

/** One value per word, such as each `state`. */
export function byLabel(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  { label, counts }: { label: string; counts: Iterable<[string, number]> },
): Metric {
  return {
    name,
    help,
    type,
    values: [...counts].map(([word, value]) => ({ labels: { [label]: word }, value })),
  }
}

/** Values counted by size. `ends` are the upper bounds of the buckets. */
export function createHistogram(ends: readonly number[]) {
  const counts = { buckets: new Array<number>(ends.length + 1).fill(0), sum: 0 }
  return {
    record(value: number): void {
      let bucket = 0
      while (bucket < ends.length && value > (ends[bucket] ?? 0)) bucket += 1
      counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1
      counts.sum += value
    },
    counts,
  }
}

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Writes metrics in the Prometheus text format, version 0.0.4. `ends` are the upper bounds of a histogram's buckets.
 * `buckets` are their counts, not cumulative, plus one for larger values.
 */
export function prometheusText(metrics: Metric[]): string {
  return metrics.map((metric) => `${head(metric)}${samples(metric).join('')}`).join('')
}

function head({ name, help, type }: Metric): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

function samples(metric: Metric): string[] {
  const { name } = metric
  if (metric.type !== 'histogram') {
    return metric.values.map(({ labels, value }) => sample(name, pairsOf(labels), value))
  }
  const ends = [...metric.ends.map(String), '+Inf'].map((end) => `le="${end}"`)
  return metric.values.map(({ labels, buckets, sum }) => {
    // Once per histogram: there are thousands of lines.
    const pairs = pairsOf(labels)
    const start = `${name}_bucket{${pairs === '' ? '' : `${pairs},`}`
    let [count, lines] = [0, '']
    for (let place = 0; place < buckets.length; place += 1) {
      count += buckets[place] ?? 0
      lines += `${start}${ends[place]}} ${count}\n`
    }
    return lines + sample(`${name}_sum`, pairs, sum) + sample(`${name}_count`, pairs, count)
  })
}

function sample(name: string, pairs: string, value: number): string {
  return `${name}${pairs === '' ? '' : `{${pairs}}`} ${value}\n`
}

function pairsOf(labels: Labels = {}): string {
  return Object.entries(labels)
    .map(([label, text]) => `${label}="${escapeLabel(text)}"`)
    .join(',')
}

function escapeLabel(text: string): string {
  return /["\\\n]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : text
}
