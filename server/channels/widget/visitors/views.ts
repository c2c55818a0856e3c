import { isoTimeOrNull } from '../../../dates.ts'
import type { Deps } from '../../../deps.ts'
import { MAX_MESSAGE_LENGTH } from '../../../tickets/messages.ts'
import { openingAt } from '../../../tickets/opening-hours.ts'
import type { Widget } from '../widgets/find-widget.ts'
import type { Visitor } from './visitors.ts'

/** The settings that a website's page needs to show the widget. */
export function viewSettings(
  { appearance, questions, hours, verifiedOnly, telegramBotId }: Widget,
  { clock, config }: Deps,
) {
  const { isOpen, opensAt } = openingAt(hours, clock.now())
  return {
    ...appearance,
    questions,
    verifiedOnly,
    /** Whether conversations can be continued there. */
    telegram: telegramBotId !== '',
    isOpen,
    awayText: hours?.awayText ?? '',
    opensAt: isoTimeOrNull(opensAt),
    maxFileBytes: config.attachmentLimitBytes,
    maxTextLength: MAX_MESSAGE_LENGTH,
  }
}

export function viewVisitor({ id, userId, verifiedName, verifiedEmail, typedName, typedEmail }: Visitor) {
  const isVerified = userId !== null
  return { id, isVerified, name: verifiedName || typedName, email: verifiedEmail || typedEmail }
}
