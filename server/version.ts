import { version } from '../package.json' with { type: 'json' }
import { gitCommit } from '../release/build-facts.ts' with { type: 'macro' }

export const VERSION: string = version
const COMMIT: string = gitCommit()

/** `1.2.3 (commit 0123456789ab)`, or only the version when it was built without a Git repository. */
export const FULL_VERSION: string = COMMIT ? `${VERSION} (commit ${COMMIT.slice(0, 12)})` : VERSION
