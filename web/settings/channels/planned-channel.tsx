import { For, type JSX } from 'solid-js'
import { StatusDot } from '../../ui/badge.tsx'
import { Page, Section } from '../page.tsx'

interface PlannedChannelProps {
  title: string
  /** What the channel is for. */
  lead: string
  /** That it is not available yet, and what to do until then. */
  status: string
  /** How it will work, one sentence each. */
  plan: readonly string[]
  children?: JSX.Element
}

/** The page of a channel that cannot be connected yet. */
export function PlannedChannel(props: PlannedChannelProps) {
  return (
    <Page title={props.title} lead={props.lead}>
      <div class="card channel-status">
        <p class="entry-title">
          <StatusDot tone="grey" />
          Coming soon
        </p>
        <p class="muted">{props.status}</p>
      </div>
      <Section title="How it will work">
        <ul class="bullets">
          <For each={props.plan}>{(sentence) => <li>{sentence}</li>}</For>
        </ul>
      </Section>
      {props.children}
    </Page>
  )
}
