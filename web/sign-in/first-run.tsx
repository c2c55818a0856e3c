import { Frame } from './frame.tsx'

/** Shown before there is an organization. Only the person who started the server has the setup link. */
export function FirstRun() {
  return (
    <Frame title="Bellhop is running" text="Finish setup to sign in.">
      <div class="stack">
        <p>
          Open the link Bellhop printed in the terminal. It contains <code>/welcome#…</code>, and lets you
          create your organization and account.
        </p>
        <p class="frame-foot">
          Lost it? Restart Bellhop to print a new one. API docs:{' '}
          <a href="/docs" rel="external">
            /docs
          </a>
          .
        </p>
      </div>
    </Frame>
  )
}
