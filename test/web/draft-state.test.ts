import { expect, test } from 'bun:test'
import { firstIdAt, isId } from '../../server/ids.ts'
import { createId, timeOfId } from '../../web/api/create-id.ts'
import type { DraftAttachment } from '../../web/ticket/draft/draft-content.ts'
import {
  type DraftEffect,
  type DraftEvent,
  type DraftState,
  EMPTY_DRAFT,
  openDraft,
  type Sending,
  type StoredDraft,
} from '../../web/ticket/draft/draft-state.ts'
import { reduceDraft } from '../../web/ticket/draft/reduce-draft.ts'

// Every case: a draft, what happens, and what becomes of it. No browser: the reducer is a pure function.

const NOW = Date.parse('2026-03-01T09:30:00.000Z')
const FIRST = '2026-03-01T09:00:00.000Z'
const SECOND = '2026-03-01T09:29:59.000Z'

const saved = (text: string, savedAt = FIRST, attachments: DraftAttachment[] = []) => ({
  text,
  attachments,
  savedAt,
})
const onServer = (text: string, savedAt = SECOND, attachments?: DraftAttachment[]) => ({
  kind: 'reply' as const,
  text,
  savedAt,
  ...(attachments && { attachments }),
})
const file = (name: string, addedAt = 0): DraftAttachment => ({
  id: `att_${name}`,
  name,
  type: 'text/plain',
  size: 6,
  addedAt,
})
const A = file('a', 1)
const B = file('b', 2)
const sending: Sending = {
  id: 'msg_1',
  text: 'Hello',
  attachments: [],
  after: 'msg_0',
  at: NOW,
  isOut: true,
  wasReturned: false,
  isChanged: false,
}
const landed: Sending = { ...sending, isOut: false, wasReturned: true }
const typed = (text: string): DraftEvent => ({ type: 'typed', text, now: NOW })
const attached = (added: DraftAttachment): DraftEvent => ({ type: 'file attached', file: added, now: NOW })
const removed = ({ id }: DraftAttachment): DraftEvent => ({ type: 'file removed', id, now: NOW })
const sendPressed = (id = 'msg_1', isUploading = false): DraftEvent => ({
  type: 'send pressed',
  id,
  after: 'msg_0',
  isUploading,
  now: NOW,
})
const uploadsEnded = (isComplete: boolean): DraftEvent => ({ type: 'uploads ended', isComplete, now: NOW })
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
    events: [{ type: 'saved', text: 'Hel', attachments: [], savedAt: SECOND }],
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
    events: [sendPressed(), { type: 'saved', text: 'Hel', attachments: [], savedAt: SECOND }],
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
    when: 'an id that the server has with an earlier text: the new one stays, and the agent sees why',
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
    events: [
      { type: 'unsent discarded' },
      { type: 'put back', text: 'Hello', attachments: [], sending, now: NOW },
    ],
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
        draft: {
          text: 'Hello\n\nNext',
          attachments: [],
          changedAt: 0,
          saved: saved('Next'),
          sending: landed,
        },
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
    events: [{ type: 'taken back', text: 'Hello', attachments: [], isSaved: true, now: NOW }],
    becomes: { text: 'Hello\n\nNext', saved: saved('Hello\n\nNext', FIRST) },
    effects: [{ type: 'store' }],
  },
  {
    when: 'a reply that is taken back comes once, although the field still has its beginning',
    draft: { text: 'Hel ', saved: saved('Hel ') },
    events: [{ type: 'taken back', text: 'Hel lo', attachments: [], isSaved: true, now: NOW }],
    becomes: { text: 'Hel lo', saved: saved('Hel lo', FIRST) },
    effects: [{ type: 'store' }],
  },
  {
    when: 'a reply of a colleague that is taken back is saved as a draft of this agent',
    draft: {},
    events: [{ type: 'taken back', text: 'Hello', attachments: [], isSaved: false, now: NOW }],
    becomes: { text: 'Hello', saved: null },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'the version that the server made of a reply taken back continues, also after letters were deleted',
    draft: {},
    events: [
      { type: 'taken back', text: 'Hello', attachments: [], isSaved: true, now: NOW },
      typed('Hell'),
      serverHas(onServer('Hello')),
    ],
    becomes: { text: 'Hell', saved: saved('Hello', SECOND), other: null },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'an uploaded file is stored at once and saved soon, also without text',
    draft: {},
    events: [attached(A)],
    becomes: { attachments: [A], isTyped: true },
    effects: [{ type: 'store' }, { type: 'save later', ms: 350 }],
  },
  {
    when: 'files stay in the order in which they were added, whichever is uploaded first',
    draft: { attachments: [file('old')] },
    events: [attached(B), attached(A)],
    becomes: { attachments: [file('old'), A, B] },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'a save that is due names the files',
    draft: { attachments: [A, B], saved: saved('', FIRST, [A]) },
    events: [{ type: 'save due' }],
    becomes: { isSaving: true },
    effects: [{ type: 'save', text: '', attachments: [A, B], base: FIRST }],
  },
  {
    when: 'a draft with the same text and files is not saved again',
    draft: { text: 'Hello', attachments: [A], saved: saved('Hello', FIRST, [A]) },
    events: [{ type: 'save due' }],
    becomes: { isSaving: false },
    effects: [],
  },
  {
    when: 'removing the only file of a draft without text deletes it on the server',
    draft: { attachments: [A], saved: saved('', FIRST, [A]) },
    events: [removed(A), { type: 'save due' }],
    becomes: { attachments: [], isSaving: true },
    effects: [{ type: 'save', text: '', attachments: [], base: FIRST }],
  },
  {
    when: 'undoing that puts the file back at its place',
    draft: { attachments: [A, B] },
    events: [removed(A), attached(A)],
    becomes: { attachments: [A, B] },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'files that the server no longer has leave the draft, the agent sees which, and the text is saved',
    draft: { text: 'Hello', attachments: [A, B], isSaving: true },
    events: [{ type: 'save failed', reason: 'files gone', ids: [A.id] }],
    becomes: { text: 'Hello', attachments: [B], isSaving: false },
    effects: [{ type: 'report gone files', names: ['a'] }, { type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'a refusal of files that are not in the draft does not save it again and again',
    draft: { text: 'Hello', attachments: [A], isSaving: true },
    events: [{ type: 'save failed', reason: 'files gone', ids: [B.id] }],
    becomes: { attachments: [A], isSaving: false },
    effects: [],
  },
  {
    when: 'a draft nobody touched here shows the files that the server has',
    draft: {},
    events: [serverHas(onServer('', SECOND, [A]))],
    becomes: { attachments: [A], saved: saved('', SECOND, [A]) },
    effects: [{ type: 'store' }],
  },
  {
    when: 'a draft with a file more than that of the server continues it',
    draft: { text: 'Hello', attachments: [A, B], isTyped: true },
    events: [serverHas(onServer('Hello', SECOND, [A]))],
    becomes: { attachments: [A, B], saved: saved('Hello', SECOND, [A]), other: null },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'a draft of the server with other files is offered, although the text is the same',
    draft: { text: 'Hello', attachments: [A], isTyped: true },
    events: [serverHas(onServer('Hello', SECOND, [B])), { type: 'other version used', now: NOW }],
    becomes: { text: 'Hello', attachments: [B], other: null },
    effects: [{ type: 'store' }],
  },
  {
    when: 'a file that another tab attaches appears here',
    draft: { text: 'Hello', isTyped: true, saved: saved('Hello') },
    events: [otherTab({ text: 'Hello', attachments: [A] })],
    becomes: { attachments: [A], isTyped: false },
    effects: [],
  },
  {
    when: 'what another tab empties keeps a file that is unsaved here',
    draft: { attachments: [A], isTyped: true },
    events: [otherTab({})],
    becomes: { attachments: [A] },
    effects: [],
  },
  {
    when: 'Send takes the files too, and files alone are enough',
    draft: { attachments: [A] },
    events: [sendPressed()],
    becomes: { attachments: [], sending: { ...sending, text: '', attachments: [A] } },
    effects: [{ type: 'store' }, { type: 'send' }],
  },
  {
    when: 'Send during an upload waits, and the text stays in the field',
    draft: { text: 'Hello' },
    events: [sendPressed('msg_1', true)],
    becomes: { text: 'Hello', sending: null, sendsAfterUploads: { id: 'msg_1', after: 'msg_0' } },
    effects: [],
  },
  {
    when: 'it is sent when the uploads have ended, with what was typed and attached meanwhile',
    draft: { text: 'Hello' },
    events: [sendPressed('msg_1', true), typed('Hello!'), attached(A), uploadsEnded(true)],
    becomes: {
      text: '',
      attachments: [],
      sending: { ...sending, text: 'Hello!', attachments: [A] },
      sendsAfterUploads: null,
    },
    effects: [{ type: 'store' }, { type: 'send' }],
  },
  {
    when: 'it is not sent without a file that could not be uploaded, and the agent sees why',
    draft: { text: 'Hello' },
    events: [sendPressed('msg_1', true), uploadsEnded(false)],
    becomes: { text: 'Hello', sending: null, sendsAfterUploads: null },
    effects: [{ type: 'notify', notice: 'upload failed' }],
  },
  {
    when: 'a waiting Send can be cancelled',
    draft: { text: 'Hello' },
    events: [sendPressed('msg_1', true), { type: 'send cancelled' }, uploadsEnded(true)],
    becomes: { text: 'Hello', sending: null, sendsAfterUploads: null },
    effects: [],
  },
  {
    when: 'uploads that end without a waiting Send send nothing',
    draft: { text: 'Hello' },
    events: [uploadsEnded(true)],
    becomes: { text: 'Hello', sending: null },
    effects: [],
  },
  {
    when: 'a sent message ends a draft with no more than its files',
    draft: {
      sending: { ...sending, attachments: [A] },
      isSender: true,
      saved: saved('Hello', FIRST, [A]),
    },
    events: [{ type: 'sent' }],
    becomes: { attachments: [], saved: saved('', FIRST) },
    effects: [{ type: 'accepted', id: 'msg_1' }, { type: 'store' }],
  },
  {
    when: 'a draft of the server with more files than the sent message is deleted then',
    draft: { sending, isSender: true, saved: saved('Hello', FIRST, [A]) },
    events: [{ type: 'sent' }, { type: 'save due' }],
    becomes: { sending: null },
    effects: [{ type: 'save', text: '', attachments: [], base: FIRST }],
  },
  {
    when: 'a refused message brings its files back, before those attached since',
    draft: { text: 'Next', attachments: [B], sending: { ...sending, attachments: [A] }, isSender: true },
    events: [{ type: 'send refused', reason: 'other', now: NOW }],
    becomes: { text: 'Hello\n\nNext', attachments: [A, B] },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'Send after that with another file is another message for the server',
    draft: { text: 'Hello', attachments: [B], sending: { ...landed, attachments: [A] } },
    events: [sendPressed('msg_2')],
    becomes: { sending: { ...sending, attachments: [B], wasReturned: true, isChanged: true } },
    effects: [{ type: 'store' }, { type: 'send' }],
  },
  {
    when: 'what an earlier page was sending leaves the field, and the server if it was saved there',
    draft: { text: 'Hello', sending: landed },
    events: [serverHas(onServer('Hello'), true), serverHas(onServer('Hello'), true), { type: 'save due' }],
    becomes: { text: '', sending: null, saved: saved('Hello', SECOND) },
    effects: [{ type: 'save', text: '', base: SECOND }],
  },
  {
    when: 'what an earlier page was sending leaves the field to what another device wrote',
    draft: { text: 'Hello', sending: landed },
    events: [serverHas(onServer('Hello world'), true), serverHas(onServer('Hello world'), true)],
    becomes: { text: 'Hello world', sending: null, saved: saved('Hello world', SECOND) },
    effects: [{ type: 'store' }],
  },
  {
    when: 'what an earlier page was sending leaves the field after it is saved, and then the server',
    draft: { text: 'Hello', sending: landed },
    events: [
      { type: 'save due' },
      serverHas(onServer('Hello'), true),
      { type: 'saved', text: 'Hello', attachments: [], savedAt: SECOND },
      serverHas(onServer('Hello'), true),
    ],
    becomes: { text: '', sending: null, saved: saved('Hello', SECOND) },
    effects: [{ type: 'notify', notice: 'earlier one sent' }, { type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'what an earlier page was sending is not saved when the connection is there, before it is looked for',
    draft: { text: 'Hello', sending: landed },
    events: [{ type: 'connection back' }],
    becomes: { text: 'Hello', isSaving: false },
    effects: [],
  },
  {
    when: 'and is saved then if the thread was read without it',
    draft: { text: 'Hello', sending: landed },
    events: [serverHas(null), { type: 'connection back' }],
    becomes: { isSaving: true },
    effects: [{ type: 'save', text: 'Hello' }],
  },
  {
    when: 'a save that ends after the thread has the text reads again, whether it succeeded or not',
    draft: { text: 'Hello', sending: landed, isSaving: true },
    events: [serverHas(null, true), { type: 'save failed', reason: 'unreachable' }],
    becomes: { text: 'Hello', sending: landed, readsAfterSave: false },
    effects: [{ type: 'read', isAnnounced: false }, { type: 'save later' }],
  },
  {
    when: 'what an earlier page was sending leaves the draft with its files when the thread has it',
    draft: {
      text: 'Hello\n\nNext',
      attachments: [A, B],
      sending: { ...landed, attachments: [A] },
      saved: saved('Hello', FIRST, [A]),
    },
    events: [serverHas(null, true)],
    becomes: { text: 'Next', attachments: [B], sending: null },
    effects: [{ type: 'notify', notice: 'earlier one sent' }, { type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'a reply that is taken back brings its files back, as the server keeps them',
    draft: { text: 'Next', attachments: [B], saved: saved('Next', FIRST, [B]) },
    events: [{ type: 'taken back', text: 'Hello', attachments: [A], isSaved: true, now: NOW }],
    becomes: {
      text: 'Hello\n\nNext',
      attachments: [A, B],
      saved: saved('Hello\n\nNext', FIRST, [A, B]),
    },
    effects: [{ type: 'store' }],
  },
  {
    when: 'a reply of only files that is taken back adds no empty lines to what was begun since',
    draft: { text: 'Next', saved: saved('Next') },
    events: [{ type: 'taken back', text: '', attachments: [A], isSaved: true, now: NOW }],
    becomes: { text: 'Next', attachments: [A], saved: saved('Next', FIRST, [A]) },
    effects: [{ type: 'store' }],
  },
  {
    when: 'a discarded message that is put back has its files again',
    draft: { sending: { ...sending, attachments: [A] }, isSender: true },
    events: [
      { type: 'unsent discarded' },
      { type: 'put back', text: 'Hello', attachments: [A], sending, now: NOW },
    ],
    becomes: { text: 'Hello', attachments: [A] },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'the text of a deleted ticket is unsaved again, although the server had it',
    draft: { text: 'Hello', saved: saved('Hello') },
    events: [{ type: 'ticket deleted', text: 'Hello', now: NOW }],
    becomes: { text: 'Hello', saved: null },
    effects: [{ type: 'store' }, { type: 'save later' }],
  },
  {
    when: 'and stays unsaved when the answer to an earlier save is late',
    draft: { text: 'Hello', isSaving: true },
    events: [
      { type: 'ticket deleted', text: 'Hello', now: NOW },
      { type: 'saved', text: 'Hello', attachments: [], savedAt: SECOND },
    ],
    becomes: { text: 'Hello', saved: null, isSaving: false },
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

test('no event loses a file: it is in the draft, on its way, offered, or named in a report', () => {
  const harmless = CASES.filter(({ when }) => !/deleted ticket|stores nothing|leaves the|Discard/.test(when))
  for (const { when, draft, events } of harmless) {
    let state: DraftState = { ...openDraft(EMPTY_DRAFT), attachments: [A], isTyped: true, ...draft }
    const names = new Set(state.attachments.map(({ name }) => name))
    for (const event of events) {
      if (['file removed', 'other version used', 'sent', 'unsent discarded'].includes(event.type)) break
      const step = reduceDraft(state, event)
      state = step.state
      const reported = step.effects.flatMap((effect) =>
        effect.type === 'report gone files' ? effect.names : [],
      )
      const places = [state, state.sending, state.other, state.saved]
      const kept = places.flatMap((place) => place?.attachments ?? []).map(({ name }) => name)
      for (const name of names) expect([...kept, ...reported], when).toContain(name)
    }
  }
})

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
