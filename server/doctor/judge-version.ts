import { type DataState, MOVE_DATA } from '../database/migration-ledger.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, error } = findingsOf('database')

/** `whole` is the sentence for a current database. */
export function ofDataState(state: DataState, whole: string): Finding {
  switch (state.kind) {
    case 'current':
      return ok(whole)
    case 'older': {
      const advice = 'Restart the server with this program: it upgrades the data at the start.'
      return warning(state.detail, advice)
    }
    case 'next': {
      const advice = 'It runs on it. Upgrade this program, too.'
      return warning(state.detail, advice)
    }
    case 'newer': {
      const advice = 'Use the newer program, or restore a backup from before the upgrade.'
      return error(state.detail, advice)
    }
    case 'marked':
      return error(state.detail, state.advice)
    case 'pre_release':
      return error(state.detail, MOVE_DATA)
  }
}
