import { version } from '../package.json' with { type: 'json' }
import { gitCommit } from '../release/build-facts.ts' with { type: 'macro' }

export const VERSION: string = version
const COMMIT: string = gitCommit()

/** `1.2.3 (commit 0123456789ab)`, or only the version when it was built without a Git repository. */
export const FULL_VERSION: string = COMMIT ? `${VERSION} (commit ${COMMIT.slice(0, 12)})` : VERSION

/** Versions whose servers can share a database: of the same release, such as 1.4, or of two that follow each other. */
export function canRunTogether(one: string, other: string): boolean {
  const [major, minor] = releaseOf(one)
  const [otherMajor, otherMinor] = releaseOf(other)
  return major === otherMajor && Math.abs(minor - otherMinor) <= 1
}

function releaseOf(of: string): [major: number, minor: number] {
  const [major, minor] = of.split('.', 2).map(Number)
  return [major ?? 0, minor ?? 0]
}
