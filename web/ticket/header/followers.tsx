import Eye from 'lucide-solid/icons/eye'
import { createMemo, For, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuChoice, MenuGroup } from '../../ui/menu.tsx'
import { toggleFollowing } from '../changes/follow.ts'
import './ticket-header.css'

interface FollowersProps {
  ticketId: string
  /** Ids of the agents who follow the ticket. */
  followers: readonly string[]
}

/** Who follows the ticket, and whether the agent does. */
export function Followers(props: FollowersProps) {
  const session = useSession()
  const agents = useAgents()
  const me = () => session().agent.id
  const isMine = () => props.followers.includes(me())
  const people = createMemo(() =>
    props.followers.flatMap((id) => {
      const agent = agents().find((one) => one.id === id)
      return agent ? [{ id, name: id === me() ? `${agent.name} (you)` : agent.name }] : []
    }),
  )
  const names = () =>
    people()
      .map(({ name }) => name)
      .join(', ')
  return (
    <Menu
      placement="bottom-end"
      trigger={(given) => (
        <Button
          {...given}
          size="small"
          look="quiet"
          class="followers-button"
          data-mine={isMine() || undefined}
          title={names() ? `Followed by ${names()}` : 'Follow'}
        >
          <Eye />
          <span class="unseen">
            {isMine() ? 'Following' : 'Follow'}. {names() ? `Followers: ${names()}` : 'No followers'}
          </span>
          <Show when={people().length > 0}>
            <span class="count" aria-hidden="true">
              {people().length}
            </span>
          </Show>
        </Button>
      )}
    >
      <MenuChoice
        isChosen={isMine()}
        icon={<Eye />}
        keys="f"
        onSelect={() => void toggleFollowing(props.ticketId, me())}
      >
        {isMine() ? 'Following' : 'Follow'}
      </MenuChoice>
      <Show when={people().length > 0}>
        <MenuGroup label="Followers">
          <For each={people()}>
            {({ id, name }) => (
              <p class="followers-name">
                <Avatar name={name} id={id} size="small" isDecorative />
                <span class="cut">{name}</span>
              </p>
            )}
          </For>
        </MenuGroup>
      </Show>
    </Menu>
  )
}
