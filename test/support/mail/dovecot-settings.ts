import { join } from 'node:path'

/** The configuration's files by name. */
export function dovecotSettings(given: {
  folder: string
  imapPort: number
  imapsPort: number
  mailId: number
  tokenInfo?: string
  settings?: string
}): Record<string, string> {
  return {
    'dovecot.conf': [server(given), users(given), given.settings ?? ''].join('\n'),
    'passwords.conf': passwords(given.folder),
    'oauth-email.conf': oauth(given.tokenInfo ?? '', 'email'),
    'oauth-shared.conf': oauth(given.tokenInfo ?? '', 'shared_mailbox'),
  }
}

/**
 * Without durability a mail costs a fraction. Wrong passwords are answered at once, and one address may hold many
 * connections. Dovecot takes a password before STARTTLS from its own machine, whatever `ssl` says.
 */
function server({
  folder,
  imapPort,
  imapsPort,
}: {
  folder: string
  imapPort: number
  imapsPort: number
}): string {
  return `
protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/state
instance_name = ${folder}
log_path = ${folder}/log
auth_verbose = yes
ssl = required
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
mail_fsync = never
mail_max_userip_connections = 1000
imap_id_retain = yes
auth_failure_delay = 0 secs
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  service_count = 0
  inet_listener imap {
    port = ${imapPort}
  }
  inet_listener imaps {
    port = ${imapsPort}
    ssl = yes
  }
}
service auth {
  unix_listener sasl {
    mode = 0666
  }
}`
}

function users(given: { folder: string; mailId: number; tokenInfo?: string }): string {
  const { folder, mailId } = given
  const tokens = ['email', 'shared'].map(
    (name) => `
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${join(folder, `oauth-${name}.conf`)}
}`,
  )
  return `
auth_mechanisms = plain login${given.tokenInfo ? ' xoauth2 oauthbearer' : ''}
first_valid_uid = ${mailId}
mail_location = maildir:~/Maildir
passdb {
  driver = dict
  mechanisms = plain login
  args = ${folder}/passwords.conf
}
${given.tokenInfo ? tokens.join('\n') : ''}
userdb {
  driver = static
  args = uid=${mailId} gid=${mailId} home=${folder}/mail/%u allow_all_users=yes
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Sent {
    auto = subscribe
    special_use = \\Sent
  }
  mailbox Trash {
    auto = subscribe
    special_use = \\Trash
  }
  mailbox Junk {
    auto = subscribe
    special_use = \\Junk
  }
}`
}

/** A file for each user, read at each sign-in. Of a file with all users Dovecot notices a change only in the next second. */
function passwords(folder: string): string {
  return `
uri = fs:posix:prefix=${folder}/passwords/
iterate_disable = yes
passdb_objects = password
key password {
  key = %u
  format = json
}
`
}

/** The token must belong to the user who signs in: `email` is its owner, `shared_mailbox` another mailbox it opens. */
function oauth(tokenInfo: string, attribute: string): string {
  return `
tokeninfo_url = ${tokenInfo}
username_attribute = ${attribute}
introspection_mode = auth
force_introspection = no
`
}
