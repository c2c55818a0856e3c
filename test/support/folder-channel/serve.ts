import { registerKind } from '../../../server/channels/kinds.ts'

// The program with one more channel, which takes the place of `server/main.ts`. Its name comes before everything else.

registerKind('folder')
const { registerChannel } = await import('../../../server/channels/registry.ts')
const { createFolderChannel } = await import('./folder-channel.ts')
registerChannel(createFolderChannel(process.env.FOLDER_CHANNEL ?? ''))
await import('../../../server/main.ts')
