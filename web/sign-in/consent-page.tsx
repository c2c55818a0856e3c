import { Navigate, useLocation } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import { createSignal, For, Match, onCleanup, onMount, Show, Switch } from 'solid-js'
import { type Answer, api, ask } from '../api/api.ts'
import { codeOf, errorMessage, isSignedOutCode } from '../api/api-problem.ts'
import { abilityOf } from '../api/program-abilities.ts'
import { queryKeys } from '../api/query-keys.ts'
import { type SessionData, sessionQuery } from '../api/session.ts'
import { createForm } from '../forms/create-form.ts'
import { FailedQuery } from '../forms/failed-state.tsx'
import { SignOutDialog, signOut } from '../ticket/sign-out.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { Frame } from './frame.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import './consent-page.css'

type Request = Answer<(typeof api.console)['connected-programs']['request']['post']>
type Scope = Request['scopes'][number]['scope']

/** After the page has come to the front, how long a click may still be meant for what was there before. */
const SETTLE_MS = 500

/** `/oauth/authorize?…`: an agent lets a program act for them, or doesn't. */
export default function ConsentPage() {
  const location = useLocation()
  const session = useQuery(() => sessionQuery)
  const request = useQuery(() => ({
    queryKey: queryKeys.consent(location.search),
    queryFn: () => ask(api.console['connected-programs'].request.post({ query: location.search })),
    enabled: session.isSuccess,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  }))
  const here = () => location.pathname + location.search
  return (
    <Switch>
      <Match when={isSignedOutCode(codeOf(session.error))}>
        <Navigate href={`/sign-in?to=${encodeURIComponent(here())}`} />
      </Match>
      <Match when={session.error}>
        <FailedQuery title="Couldn't reach the server" query={session} />
      </Match>
      <Match when={request.error}>{(error) => <Refused text={errorMessage(error())} />}</Match>
      <Match when={request.data?.refusal}>
        {(refusal) => (
          <Refused
            text={`The program sent a wrong request: ${refusal().detail}`}
            returnTo={refusal().returnTo}
          />
        )}
      </Match>
      <Match when={request.data}>
        {(data) => (
          <Show when={session.data}>
            {(signedIn) => (
              <>
                <ConsentForm query={location.search} request={data()} session={signedIn()} />
                <SignInAgain session={signedIn()} />
                <SignOutDialog />
              </>
            )}
          </Show>
        )}
      </Match>
    </Switch>
  )
}

/** There is nothing to allow. No one is sent anywhere unasked, because anyone can make such a link. */
function Refused(props: { text: string; returnTo?: string }) {
  return (
    <Frame title="This program can't connect" text={props.text}>
      <div class="stack">
        <Show when={props.returnTo}>
          {(url) => (
            <a href={url()} rel="external">
              Back to {new URL(url()).host}
            </a>
          )}
        </Show>
        <a href="/inbox">Go to inbox</a>
      </div>
    </Frame>
  )
}

function ConsentForm(props: { query: string; request: Request; session: SessionData }) {
  const [isLeaving, setLeaving] = createSignal(false)
  const form = createForm({
    values: () => ({
      isAllowed: true,
      scopes: props.request.scopes.filter(({ isByDefault }) => isByDefault).map(({ scope }) => scope),
    }),
    save: ({ isAllowed, scopes }) =>
      ask(api.console['connected-programs'].post({ query: props.query, ...(isAllowed && { scopes }) })),
    onSaved: ({ returnTo }) => {
      setLeaving(true)
      location.assign(returnTo)
    },
    isUnsaved: () => false,
  })
  const toggle = (scope: Scope, isChosen: boolean) => {
    const others = form.values.scopes.filter((one) => one !== scope)
    form.set({ scopes: isChosen ? [...others, scope] : others })
  }
  const answer = (isAllowed: boolean) => {
    form.set({ isAllowed })
    form.submit.mutate()
  }
  const isSettled = createSettled()
  const host = () => props.request.client.host ?? props.request.redirectHost

  return (
    <Frame
      title={`Connect ${props.request.client.name}?`}
      text={
        <>
          It will act for you, <strong>{props.session.agent.name}</strong> ({props.session.agent.email}), in{' '}
          <strong>{props.session.organization.name}</strong>.
        </>
      }
    >
      <Show
        when={!isLeaving()}
        fallback={<p>You can close this page if {props.request.client.name} doesn't open.</p>}
      >
        <div class="stack">
          <Origin request={props.request} />
          <fieldset class="form-choices stack-tight">
            <legend>What it can do</legend>
            <For each={props.request.scopes}>
              {({ scope }) => (
                <Checkbox
                  label={abilityOf(scope).label}
                  hint={abilityOf(scope).hint}
                  isChecked={form.values.scopes.includes(scope)}
                  onChange={(isChosen) => toggle(scope, isChosen)}
                />
              )}
            </For>
          </fieldset>
          <Show when={form.error()}>{(error) => <ErrorText>{errorMessage(error())}</ErrorText>}</Show>
          <div class="consent-page-buttons">
            <Button
              look="primary"
              isUnavailable={form.values.scopes.length === 0 || !isSettled()}
              isBusy={form.submit.isPending && form.values.isAllowed}
              onClick={() => answer(true)}
            >
              Allow
            </Button>
            <Button isBusy={form.submit.isPending && !form.values.isAllowed} onClick={() => answer(false)}>
              Deny
            </Button>
          </div>
          <p class="frame-foot">
            Not {props.session.agent.name}?{' '}
            <button
              type="button"
              class="text-button"
              onClick={() => void signOut({ to: location.pathname + location.search })}
            >
              Sign in as someone else
            </button>
          </p>
          <p class="frame-foot">
            It never has more access than you, and you can disconnect it any time in the settings. What it
            reads leaves Bellhop{host() ? ` for ${host()}` : ''}.
          </p>
        </div>
      </Show>
    </Frame>
  )
}

/** Otherwise, another site could have people double-click, and close its window over this page in between. */
function createSettled() {
  const [isSettled, setSettled] = createSignal(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  const settle = () => {
    setSettled(false)
    clearTimeout(timer)
    timer = setTimeout(() => setSettled(true), SETTLE_MS)
  }
  onMount(settle)
  window.addEventListener('focus', settle)
  onCleanup(() => {
    clearTimeout(timer)
    window.removeEventListener('focus', settle)
  })
  return isSettled
}

/** Who asks, and where the agent goes back to. Only a host can be checked; the name is what the program calls itself. */
function Origin(props: { request: Request }) {
  return (
    <dl class="consent-page-origin">
      <div>
        <dt>From</dt>
        <dd>{props.request.client.host ?? 'Unknown: anyone can use this name'}</dd>
      </div>
      <div>
        <dt>Returns to</dt>
        <dd>{props.request.redirectHost ?? 'A program on this device'}</dd>
      </div>
    </dl>
  )
}
