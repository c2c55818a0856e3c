import { expect, test } from 'bun:test'
import { firstIdAt, isId } from '../../server/ids.ts'
import { createId, timeOfId } from '../../web/api/create-id.ts'
import {
  type DraftEffect,
  type DraftEvent,
  type DraftState,
  EMPTY_DRAFT,
  openDraft,
  reduceDraft,
  type Sending,
  type StoredDraft,
} from '../../web/ticket/composer/draft-state.ts'

// Every case: a draft, what happens, and what becomes of it. No browser: the reducer is a pure function.

const NOW = Date.parse('2026-03-01T09:30:00.000Z')
const FIRST = '2026-03-01T09:00:00.000Z'
const SECOND = '2026-03-01T09:29:59.000Z'

const saved = (text: string, savedAt = FIRST) => ({ text, savedAt })
const onServer = (text: string, savedAt = SECOND) => ({ kind: 'reply' as const, text, savedAt })
const sending: Sending = {
  id: 'msg_1',
  text: 'Hello',
  after: 'msg_0',
  at: NOW,
  isOut: true,
  wasReturned: false,
  isChanged: false,
}
const landed: Sending = { ...sending, isOut: false, wasReturned: true }
const typed = (text: string): DraftEvent => ({ type: 'typed', text, now: NOW })
const sendPressed = (id = 'msg_1'): DraftEvent => ({ type: 'send pressed', id, after: 'msg_0', now: NOW })
const serverHas = (draft: ReturnType<typeof onServer> | null, hasSent = false): DraftEvent => ({
  type: 'server copy read',
  draft,
  hasSent,
})
const otherTab = (draft: Partial<StoredDraft>, hasFocus = false): DraftEvent => ({
  type: 'other tab wrote',
  draft: { ...EMPTY_DRAFT, ...draft },
  hasFocus,
  now: NOW,
})

interface Case {
  when: string
  draft: Partial<DraftState>
  events: DraftEvent[]
  /** Only what the case is about. */
  becomes: Partial<DraftState>
  /** Of the last event; `store` is left out where it says nothing new. */
  effects: Partial<DraftEffect>[]
}

const CASES: Case[] = [
  {
    when: 'typed text is stored at once and saved soon',
    draft: {},
    events: [typed('Hel')],
    becomes: { text: 'Hel', changedAt: NOW, isTyped: true },
    effects: [{ type: 'store' }, { type: 'save later', ms: 350 }],
  },
  {
    when: 'a save that is due sends the text with the version it is based on',
    draft: { text: 'Hello', saved: saved('Hel') },
    events: [{ type: 'save due' }],
    becomes: { isSaving: true },
    effects: [{ type: 'save', text: 'Hello', base: FIRST, isClosing: false }],
  },
  {
    when: 'what the server has is not saved again',
    draft: { text: 'Hello', saved: saved('Hello') },
    events: [{ type: 'save due' }],
    becomes: { isSaving: false },
    effects: [],
  },
  {
    when: 'only one save runs at a time',
    draft: { text: 'Hello', isSaving: true },
    events: [{ type: 'save due' }],
    becomes: {},
    effects: [],
  },
  {
    when: 'what was typed during a save is saved next',
    draft: { text: 'Hello', isSaving: true },
    events: [{ type: 'saved', text: 'Hel', savedAt: SECOND }],
    becomes: { saved: saved('Hel', SECOND), isSaving: false },
    effects: [{ type: 'store' }, { type: 'save later', ms: 350 }],
  },
  {
    when: 'an emptied draft is deleted on the server',
    draft: { text: 'Hello', saved: saved('Hello') },
    events: [typed(''), { type: 'save due' }],
    becomes: { isSaving: true },
    effects: [{ type: 'save', text: '', base: FIRST, isClosing: false }],
  },
  {
    when: 'a save that does not reach the server is repeated, less and less often',
    draft: { text: 'Hello', isSaving: true, retryMs: 8_000 },
    events: [{ type: 'save failed', reason: 'unreachable' }],
    becomes: { isSaveLate: true, isSaving: false, retryMs: 10_000 },
    effects: [{ type: 'save later', ms: 8_000 }],
  },
  {
    when: 'a connection that is back saves at once',
    draft: { text: 'Hello', isSaveLate: true, retryMs: 10_000 },
    events: [{ type: 'connection back' }],
    becomes: { isSaving: true, retryMs: 2_000 },
    effects: [{ type: 'save', text: 'Hello', base: null, isClosing: false }],
  },
  {
    when: 'a refused text is not saved again until it changes',
    draft: { text: 'Hello', isSaving: true },
    events: [{ type: 'save failed', reason: 'refused' }],
    becomes: { isSaving: false, isSaveLate: false },
    effects: [],
  },
  {
    when: 'a draft that was saved on another device is read before anything is saved over it',
    draft: { text: 'Hello', isSaving: true },
    events: [{ type: 'save failed', reason: 'changed elsewhere' }],
    becomes: { isSaving: false },
    effects: [{ type: 'read' }],
  },
  {
    when: 'the text of a deleted ticket is offered',
    draft: { text: 'Hello', isSaving: true },
    events: [{ type: 'save failed', reason: 'ticket deleted' }],
    becomes: { text: 'Hello' },
    effects: [{ type: 'offer lost text', text: 'Hello' }],
  },
  {
    when: 'a draft nobody touched here shows what the server has',
    draft: {},
    events: [serverHas(onServer('From the phone'))],
    becomes: { text: 'From the phone', saved: saved('From the phone', SECOND) },
    effects: [{ type: 'store' }],
  },
  {
    when: 'an older version of the server changes nothing',
    draft: { text: 'Hello', saved: saved('Hello', SECOND) },
    events: [serverHas(onServer('Hel', FIRST))],
    becomes: { text: 'Hello', saved: saved('Hello', SECOND), other: null },
    effects: [],
  },
  {
    when: 'text that contains the version of the server continues it',
    draft: { text: 'Hello there', isTyped: true },
    events: [serverHas(onServer('Hello'))],
    becomes: { text: 'Hello there', saved: saved('Hello', SECOND), other: null },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'another version is offered while this one is being written, and nothing is saved over it',
    draft: { text: 'Mine', isTyped: true },
    events: [serverHas(onServer('Theirs')), { type: 'save due' }],
    becomes: { text: 'Mine', isSaving: false },
    effects: [],
  },
  {
    when: 'a newer version replaces an unsaved one of an earlier page, which is offered',
    draft: { text: 'Mine', changedAt: Date.parse(FIRST) },
    events: [serverHas(onServer('Theirs'))],
    becomes: { text: 'Theirs', other: { ...EMPTY_DRAFT, text: 'Mine', changedAt: Date.parse(FIRST) } },
    effects: [{ type: 'store' }],
  },
  {
    when: 'the other version that is used replaces the text',
    draft: { text: 'Mine', isTyped: true },
    events: [serverHas(onServer('Theirs')), { type: 'other version used', now: NOW }],
    becomes: { text: 'Theirs', saved: saved('Theirs', SECOND), other: null },
    effects: [{ type: 'store' }],
  },
  {
    when: 'the text that is kept is saved over the other version',
    draft: { text: 'Mine', isTyped: true },
    events: [serverHas(onServer('Theirs')), { type: 'other version dropped' }, { type: 'save due' }],
    becomes: { text: 'Mine', other: null },
    effects: [{ type: 'save', text: 'Mine', base: SECOND }],
  },
  {
    when: 'a draft the server has no longer is read again before it is given up',
    draft: { text: 'Hello', saved: saved('Hello'), isShown: true },
    events: [serverHas(null)],
    becomes: { text: 'Hello' },
    effects: [{ type: 'read', isAnnounced: true }],
  },
  {
    when: 'a draft that was sent on another device leaves the field',
    draft: { text: 'Hello', saved: saved('Hello'), isShown: true },
    events: [{ type: 'server copy read', draft: null, hasSent: false, isFresh: true, isAnnounced: true }],
    becomes: { text: '', saved: null },
    effects: [{ type: 'notify', notice: 'emptied elsewhere' }, { type: 'store' }],
  },
  {
    when: 'a draft that was typed on since stays, although the server has none',
    draft: { text: 'Hello there', saved: saved('Hello') },
    events: [{ type: 'server copy read', draft: null, hasSent: false, isFresh: true, isAnnounced: true }],
    becomes: { text: 'Hello there' },
    effects: [{ type: 'save later' }],
  },
  {
    when: 'what another tab types appears here',
    draft: { text: 'Hel', isTyped: true, saved: saved('Hel') },
    events: [otherTab({ text: 'Hello' })],
    becomes: { text: 'Hello', isTyped: false, other: null },
    effects: [],
  },
  {
    when: 'what another tab types is offered while someone types here',
    draft: { text: 'Mine', isTyped: true, typedAt: NOW - 1_000, saved: saved('Mine') },
    events: [otherTab({ text: 'Theirs' }, true)],
    becomes: { text: 'Mine', other: { ...EMPTY_DRAFT, text: 'Theirs' } },
    effects: [],
  },
  {
    when: 'what another tab empties stays here as long as it is unsaved',
    draft: { text: 'Mine', isTyped: true },
    events: [otherTab({})],
    becomes: { text: 'Mine', other: null },
    effects: [],
  },
  {
    when: 'a tab that is sending does not listen to the others',
    draft: { sending, isSender: true },
    events: [otherTab({ text: 'Theirs' })],
    becomes: { text: '', sending },
    effects: [],
  },
  {
    when: 'a reply taken back in another tab is not offered a second time',
    draft: { isTyped: true, saved: saved('', FIRST) },
    events: [serverHas(onServer('Back')), otherTab({ text: 'Back', saved: saved('Back', SECOND) })],
    becomes: { text: 'Back', other: null },
    effects: [],
  },
  {
    when: 'Send takes the text out of the field, keeps it in this browser, and sends it',
    draft: { text: 'Hello' },
    events: [sendPressed()],
    becomes: { text: '', sending, isSender: true },
    effects: [{ type: 'store' }, { type: 'send', sending }],
  },
  {
    when: 'Send with a blank field does nothing',
    draft: { text: ' \n' },
    events: [sendPressed()],
    becomes: { sending: null },
    effects: [],
  },
  {
    when: 'Send waits for what is on its way',
    draft: { text: 'Next', sending, isSender: true },
    events: [sendPressed('msg_2')],
    becomes: { text: 'Next', sending },
    effects: [],
  },
  {
    when: 'Send waits for a running save, so that no older draft arrives after it',
    draft: { text: 'Hello', isSaving: true },
    events: [sendPressed()],
    becomes: { sendsAfterSave: true },
    effects: [{ type: 'store' }],
  },
  {
    when: 'when that save has ended it sends, once',
    draft: { text: 'Hello', isSaving: true },
    events: [sendPressed(), { type: 'saved', text: 'Hel', savedAt: SECOND }],
    becomes: { sendsAfterSave: false },
    effects: [{ type: 'store' }, { type: 'send' }],
  },
  {
    when: 'when that save fails it sends too',
    draft: { text: 'Hello', isSaving: true },
    events: [sendPressed(), { type: 'save failed', reason: 'unreachable' }],
    becomes: { sendsAfterSave: false, isSaveLate: false },
    effects: [{ type: 'save later' }, { type: 'send' }],
  },
  {
    when: 'the copy on the server stays while the message is on its way',
    draft: { text: 'Hello', saved: saved('Hello') },
    events: [sendPressed(), { type: 'save due' }],
    becomes: { isSaving: false, saved: saved('Hello') },
    effects: [],
  },
  {
    when: 'what is typed while it is on its way is saved',
    draft: { sending, isSender: true },
    events: [typed('Next'), { type: 'save due' }],
    becomes: { text: 'Next', sending },
    effects: [{ type: 'save', text: 'Next' }],
  },
  {
    when: 'a sent message ends the draft, also on the server',
    draft: { sending, isSender: true, saved: saved('Hello') },
    events: [{ type: 'sent' }],
    becomes: { text: '', sending: null, isSender: false, saved: saved('', FIRST) },
    effects: [{ type: 'accepted', id: 'msg_1' }, { type: 'store' }],
  },
  {
    when: 'an older draft on the server is deleted after its message was sent',
    draft: { sending, isSender: true, saved: saved('Hel') },
    events: [{ type: 'sent' }, { type: 'save due' }],
    becomes: { sending: null },
    effects: [{ type: 'save', text: '', base: FIRST }],
  },
  {
    when: 'an old answer of the server does not bring back what was sent',
    draft: { sending, isSender: true, saved: saved('Hello'), isTyped: true },
    events: [{ type: 'sent' }, serverHas(onServer('Hello', FIRST))],
    becomes: { text: '', other: null },
    effects: [],
  },
  {
    when: 'what was typed meanwhile stays in the field',
    draft: { text: 'Next', sending, isSender: true },
    events: [{ type: 'sent' }],
    becomes: { text: 'Next', sending: null },
    effects: [{ type: 'accepted' }, { type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'a message that the thread has needs no answer any longer',
    draft: { sending, isSender: true },
    events: [serverHas(null, true)],
    becomes: { sending: null, isSender: false },
    effects: [{ type: 'accepted', id: 'msg_1' }, { type: 'store' }],
  },
  {
    when: 'a refused message is in the field again, before what was typed since, under the same id',
    draft: { text: 'Next', sending, isSender: true },
    events: [{ type: 'send refused', reason: 'other', now: NOW }],
    becomes: { text: 'Hello\n\nNext', sending: landed, isSender: false },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'an id that the server has with the same text was sent by an earlier try',
    draft: { sending, isSender: true },
    events: [{ type: 'send refused', reason: 'id taken', now: NOW }],
    becomes: { text: '', sending: null },
    effects: [{ type: 'accepted', id: 'msg_1' }, { type: 'store' }],
  },
  {
    when: 'an id that the server has with an earlier text: the new one stays, and the agent is told',
    draft: { text: 'Hello, friend', sending: landed },
    events: [sendPressed('msg_2'), { type: 'send refused', reason: 'id taken', now: NOW }],
    becomes: { text: 'Hello, friend', sending: null },
    effects: [{ type: 'notify', notice: 'earlier one differs' }, { type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'Edit takes an unsent message back and keeps its id, which the server may have',
    draft: { sending, isSender: true, isSendLate: true },
    events: [{ type: 'unsent edited', now: NOW }],
    becomes: { text: 'Hello', sending: landed, isSendLate: false },
    effects: [{ type: 'stop sending' }, { type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'Send after that uses the same id',
    draft: { text: 'Hello there', sending: landed },
    events: [sendPressed('msg_2')],
    becomes: { sending: { ...sending, text: 'Hello there', wasReturned: true, isChanged: true } },
    effects: [{ type: 'store' }, { type: 'send' }],
  },
  {
    when: 'an id of yesterday is not used again',
    draft: { text: 'Hello', sending: { ...landed, at: NOW - 24 * 3_600_000 } },
    events: [sendPressed('msg_2')],
    becomes: { sending: { ...sending, id: 'msg_2' } },
    effects: [{ type: 'store' }, { type: 'send' }],
  },
  {
    when: 'Discard gives an unsent message up, and its Undo brings it back',
    draft: { sending, isSender: true },
    events: [{ type: 'unsent discarded' }, { type: 'put back', text: 'Hello', sending, now: NOW }],
    becomes: { text: 'Hello', sending: landed },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'a page that closes leaves what it was sending to the next one, as a draft',
    draft: { text: 'Next', sending, isSender: true, saved: saved('Next') },
    events: [{ type: 'page closing' }],
    becomes: { sending },
    effects: [
      {
        type: 'store',
        draft: { text: 'Hello\n\nNext', changedAt: 0, saved: saved('Next'), sending: landed },
      },
    ],
  },
  {
    when: 'a page that closes saves at once, even during a save',
    draft: { text: 'Hello', isSaving: true },
    events: [{ type: 'page closing' }],
    becomes: {},
    effects: [{ type: 'save', text: 'Hello', base: null, isClosing: true }],
  },
  {
    when: 'what an earlier page was sending leaves the field when the thread has it',
    draft: { text: 'Hello\n\nNext', sending: landed, saved: saved('Hello') },
    events: [serverHas(null, true)],
    becomes: { text: 'Next', sending: null },
    effects: [{ type: 'notify', notice: 'earlier one sent' }, { type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'a draft that was saved after the server had the message is deleted there',
    draft: { text: 'Hello', sending: landed, saved: saved('Hello') },
    events: [serverHas(onServer('Hello', FIRST), true), { type: 'save due' }],
    becomes: { text: '', sending: null },
    effects: [{ type: 'save', text: '', base: FIRST }],
  },
  {
    when: 'text that was changed since stays, although the thread has the earlier one',
    draft: { text: 'Hi', sending: landed, isTyped: true },
    events: [serverHas(null, true)],
    becomes: { text: 'Hi', sending: landed },
    effects: [{ type: 'save later' }],
  },
  {
    when: 'a reply that is taken back comes before what was begun since, as the server keeps it',
    draft: { text: 'Next', saved: saved('Next') },
    events: [{ type: 'taken back', text: 'Hello', isSaved: true, now: NOW }],
    becomes: { text: 'Hello\n\nNext', saved: saved('Hello\n\nNext', FIRST) },
    effects: [{ type: 'store' }],
  },
  {
    when: 'a reply of a colleague that is taken back is saved as a draft of this agent',
    draft: {},
    events: [{ type: 'taken back', text: 'Hello', isSaved: false, now: NOW }],
    becomes: { text: 'Hello', saved: null },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'the version that the server made of a reply taken back continues, also after letters were deleted',
    draft: {},
    events: [
      { type: 'taken back', text: 'Hello', isSaved: true, now: NOW },
      typed('Hell'),
      serverHas(onServer('Hello')),
    ],
    becomes: { text: 'Hell', saved: saved('Hello', SECOND), other: null },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'a deleted ticket leaves nothing in this browser',
    draft: { text: 'Hello', sending, isSender: true },
    events: [{ type: 'forgotten' }],
    becomes: { text: '', sending: null, isForgotten: true },
    effects: [{ type: 'stop sending' }, { type: 'forget' }],
  },
  {
    when: 'and a page that closes then stores nothing',
    draft: { text: 'Hello' },
    events: [{ type: 'forgotten' }, { type: 'page closing' }],
    becomes: { text: '' },
    effects: [],
  },
]

for (const { when, draft, events, becomes, effects } of CASES) {
  test(when, () => {
    const before: DraftState = { ...openDraft(EMPTY_DRAFT), ...draft }
    const start: ReturnType<typeof reduceDraft> = { state: before, effects: [] }
    const end = events.reduce(({ state }, event) => reduceDraft(state, event), start)
    expect(end.state).toMatchObject(becomes)
    expect(end.effects.map(({ type }) => type)).toEqual(effects.flatMap(({ type }) => (type ? [type] : [])))
    expect(end.effects).toMatchObject(effects)
  })
}

test('no event loses words: they are in the field, on their way, offered, or in the notice of a deleted ticket', () => {
  const harmless = CASES.filter(
    ({ when }) => !/deleted ticket|stores nothing|leaves the field|Discard/.test(when),
  )
  for (const { when, draft, events } of harmless) {
    let state: DraftState = { ...openDraft(EMPTY_DRAFT), text: 'Precious', isTyped: true, ...draft }
    const words = state.text.split(/\s+/)
    for (const event of events) {
      if (event.type === 'typed' || event.type === 'other version used' || event.type === 'sent') break
      state = reduceDraft(state, event).state
      const { text, sending: out, other, saved: copy } = state
      const kept = [text, out?.text, other?.text, copy?.text].join(' ')
      for (const word of words) expect(kept, when).toContain(word)
    }
  }
})

test('an id made in the page looks like one of the server, and sorts by its time', () => {
  const early = createId('msg', NOW)
  const late = createId('not', NOW + 1)
  expect(isId('msg', early)).toBe(true)
  expect(isId('not', late)).toBe(true)
  expect(timeOfId(early)).toBe(NOW)
  expect(early >= firstIdAt('msg', NOW)).toBe(true)
  expect(early < firstIdAt('msg', NOW + 1)).toBe(true)
  expect(new Set(Array.from({ length: 100 }, () => createId('msg', NOW))).size).toBe(100)
})
