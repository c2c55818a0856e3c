import { queryOptions, useQuery } from '@tanstack/solid-query'
import Blocks from 'lucide-solid/icons/blocks'
import { type Answer, api, ask } from '../../api/api.ts'
import { abilityOf } from '../../api/program-abilities.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmButton } from '../../forms/confirm-dialog.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Ago, Entry, Facts } from '../entry.tsx'
import { ListPage } from '../query-view.tsx'
import { SuggestionCounts } from '../suggestion-counts.tsx'

type ConnectedProgram = Answer<(typeof api.console)['connected-programs']['get']>['data'][number]

const programsQuery = queryOptions({
  queryKey: queryKeys.connectedPrograms,
  queryFn: () => ask(api.console['connected-programs'].get()),
  // Programs connect and are used without a page.
  staleTime: 0,
})

/** The programs that act for the agent; for administrators, those of everyone. */
export function ConnectedProgramsPage() {
  const session = useSession()
  const query = useQuery(() => ({ ...programsQuery, reconcile: 'id' }))
  return (
    <ListPage
      title="Connected programs"
      lead={
        <>
          Programs such as Claude or ChatGPT that {isAdmin(session()) ? 'agents' : 'you'} let act for{' '}
          {isAdmin(session()) ? 'them' : 'you'}. See{' '}
          <DocsLink to="/docs/connected-programs">how to connect one</DocsLink>.
        </>
      }
      query={query}
      what="connected programs"
      label="Connected programs"
      empty={{
        icon: <Blocks />,
        title: 'No connected programs',
        text: 'A program that you connect asks you here first what it may do.',
      }}
      row={(program) => <ProgramRow program={program} ownId={session().agent.id} />}
    />
  )
}

function isAdmin({ agent }: { agent: { role: string } }): boolean {
  return agent.role === 'admin'
}

function ProgramRow(props: { program: ConnectedProgram; ownId: string }) {
  const isOwn = () => props.program.agent.id === props.ownId
  const disconnect = async () => {
    const { id, name } = props.program
    await ask(api.console['connected-programs']({ id }).delete())
    void queries.invalidateQueries({ queryKey: queryKeys.connectedPrograms })
    toast(`Disconnected ${name}.`)
  }
  return (
    <Entry
      title={props.program.name}
      facts={[
        hostText(props.program.host),
        `Acts for ${isOwn() ? 'you' : props.program.agent.name}`,
        props.program.scopes.map((scope) => abilityOf(scope).label).join(', '),
      ]}
      more={
        <Facts
          facts={[
            <Ago words="Connected" at={props.program.createdAt} />,
            <Ago words="Last used" at={props.program.lastUsedAt} otherwise="Never used" />,
            <SuggestionCounts byId={props.program.id} />,
          ]}
        />
      }
      actions={
        <ConfirmButton
          label="Disconnect…"
          name={`Disconnect ${props.program.name}`}
          isQuiet
          title={`Disconnect ${props.program.name}?`}
          text={`It loses access at once. ${isOwn() ? 'You' : props.program.agent.name} can connect it again any time.`}
          action="Disconnect"
          onConfirm={disconnect}
        />
      }
    />
  )
}

function hostText(host: string): string {
  return host === 'localhost' ? "On the agent's device" : host
}
