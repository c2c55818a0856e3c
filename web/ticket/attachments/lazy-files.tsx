import { lazy } from 'solid-js'

// What handles files loads when something is written, not with the inbox.

/** If it can't be loaded, the files are attached anyway. */
export const DraftFiles = lazy(() =>
  import('./draft-files.tsx').then(
    ({ DraftFiles }) => ({ default: DraftFiles }),
    () => ({ default: () => <p role="alert">Couldn't show the attached files. Reload the page.</p> }),
  ),
)

/** Without it, files can still be chosen. */
export const DropTarget = lazy(() =>
  import('./drop-target.tsx').then(
    ({ DropTarget }) => ({ default: DropTarget }),
    () => ({ default: () => null }),
  ),
)
