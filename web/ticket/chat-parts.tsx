import { lazyDialog, lazyPart } from '../live/lazy-page.tsx'

// What only conversations of the website widget need: loaded with the first of them.

const load = async () => (await import('./visitor/visitor-parts.tsx')).VisitorParts

const Section = lazyPart(async () => (await load()).VisitorSection)
const Destination = lazyPart(async () => (await load()).ChatDestination)
const Typing = lazyPart(async () => (await load()).VisitorTyping)
const BlockItem = lazyPart(async () => (await load()).BlockItem)
const BlockDialog = lazyDialog(async () => ({ default: (await load()).BlockDialog }))

export const ChatParts = { Section, Destination, Typing, BlockItem, BlockDialog }
