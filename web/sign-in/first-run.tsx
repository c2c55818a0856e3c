import { Frame } from './frame.tsx'

/** Before there is an organization, only who started the server can make one: the link stands in its output. */
export function FirstRun() {
  return (
    <Frame title="Bellhop is running" text="There is no organization yet.">
      <div class="stack">
        <p>
          Where you started Bellhop, it printed a link that ends in <code>/welcome#…</code>. Open it to make
          your organization and your own account.
        </p>
        <p class="frame-foot">
          It is not there any more? Start Bellhop again, and it prints a new one. How to use the API is
          written at{' '}
          <a href="/docs" rel="external">
            /docs
          </a>
          .
        </p>
      </div>
    </Frame>
  )
}
