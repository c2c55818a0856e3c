import type { Config } from '../../../config.ts'
import type { MailboxSignIn } from '../../../database/tables/mailboxes.ts'

export const OAUTH_PROVIDERS = ['google', 'microsoft'] as const satisfies MailboxSignIn[]
export type OauthProvider = (typeof OAUTH_PROVIDERS)[number]

export const PROVIDER_NAMES: Record<OauthProvider, string> = { google: 'Google', microsoft: 'Microsoft' }

/** Where to sign in at a provider (RFC 6749, section 3), and for which permissions. */
interface ProviderEndpoints {
  authorization: string
  token: string
  scope: string
  /** Parameters of the sign-in that only this provider has. */
  parameters: Record<string, string>
}

/** `tenant` is Microsoft's directory. */
export function endpointsOf(config: Config, provider: OauthProvider, tenant: string): ProviderEndpoints {
  switch (provider) {
    case 'google': {
      const root = config.googleOauth
      return {
        authorization: root ? `${root}/authorize` : 'https://accounts.google.com/o/oauth2/v2/auth',
        token: root ? `${root}/token` : 'https://oauth2.googleapis.com/token',
        scope: 'https://mail.google.com/',
        // Without both, Google gives no refresh token, or only the first time.
        parameters: { access_type: 'offline', prompt: 'consent' },
      }
    }
    case 'microsoft': {
      const root = `${config.microsoftOauth}/${encodeURIComponent(tenant)}/oauth2/v2.0`
      return {
        authorization: `${root}/authorize`,
        token: `${root}/token`,
        scope:
          'offline_access https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send',
        parameters: { response_mode: 'query', prompt: 'select_account' },
      }
    }
  }
}
