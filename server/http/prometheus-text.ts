type Labels = Record<string, string>

export type Metric = { name: string; help: string } & (
  | { type: 'counter' | 'gauge'; values: { labels?: Labels; value: number }[] }
  | { type: 'histogram'; ends: number[]; values: { labels?: Labels; buckets: number[]; sum: number }[] }
)

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
    return metric.values.map(({ labels, value }) => sample(name, labels, value))
  }
  return metric.values.flatMap(({ labels, buckets, sum }) => {
    let count = 0
    const lines = buckets.map((size, place) => {
      count += size
      const le = String(metric.ends[place] ?? '+Inf')
      return sample(`${name}_bucket`, { ...labels, le }, count)
    })
    return [...lines, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, count)]
  })
}

function sample(name: string, labels: Labels = {}, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
