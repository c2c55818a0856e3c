import { Navigate, useSearchParams } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import { Match, Show, Switch } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { codeOf, errorMessage, MOVED_TO_HTTPS } from '../api/api-problem.ts'
import { queryKeys } from '../api/query-keys.ts'
import { sessionQuery } from '../api/session.ts'
import { useSignedIn } from './credentials-form.tsx'
import { Frame } from './frame.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** `/sign-in?to=…`. Agents who are signed in continue at once. */
export default function SignInPage() {
  const session = useQuery(() => sessionQuery)
  const firstRun = useQuery(() => ({
    queryKey: queryKeys.firstRun,
    queryFn: () => ask(api.console['first-run'].get()),
    retry: false,
  }))
  const [search] = useSearchParams<{ to?: string }>()
  const reason = () => (codeOf(session.error) === MOVED_TO_HTTPS ? errorMessage(session.error) : undefined)
  const target = () => (isOwnPath(search.to) ? search.to : '/inbox')
  const signedIn = useSignedIn(target)

  return (
    <Switch>
      <Match when={session.isSuccess}>
        <Navigate href={target()} />
      </Match>
      <Match when={session.isError && firstRun.data?.isOpen}>
        <FirstRun />
      </Match>
      <Match when={session.isError && !firstRun.isPending}>
        <Frame title="Sign in" text={reason()}>
          <div class="stack">
            <SignInForm onSignedIn={signedIn} />
            <Show when={search.to}>
              <p class="frame-foot">We'll take you back where you were.</p>
            </Show>
            <p class="frame-foot">Forgot your password? Ask an administrator for a reset link.</p>
          </div>
        </Frame>
      </Match>
    </Switch>
  )
}

/** Accepts only paths of this site, to prevent open redirects. */
function isOwnPath(to: string | undefined): to is string {
  return /^\/(inbox|settings|oauth\/authorize)(?:[/?]|$)/.test(to ?? '')
}

/** Shown before there is an organization. Only the person who started the server has the setup link. */
function FirstRun() {
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
