/**
 * Postfix's `main.cf`. Mails to users are written into Dovecot's Maildirs by Postfix's own delivery agent, which adds
 * Return-Path, X-Original-To and Delivered-To. Mails to a domain of `routes` go where that says; every other address is
 * refused as one without a route, so that no mail leaves this machine.
 */
export function mainSettings(given: {
  folder: string
  hostName: string
  mailFolder: string
  mailId: number
  saslSocket: string
  settings: Record<string, string>
}): string {
  const { folder, mailFolder, mailId } = given
  const map = (name: string) => `hash:${folder}/maps/${name}`
  return lines({
    compatibility_level: '3.6',
    queue_directory: `${folder}/queue`,
    data_directory: `${folder}/data`,
    maillog_file: `${folder}/log`,
    maillog_file_prefixes: folder,
    myhostname: given.hostName,
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mydestination: '',
    mynetworks: '',
    local_transport: 'error:5.1.1 There are no local users',
    local_recipient_maps: '',
    alias_maps: '',
    alias_database: '',
    recipient_delimiter: '+',
    biff: 'no',

    virtual_mailbox_domains: map('domains'),
    virtual_mailbox_maps: map('users'),
    virtual_mailbox_base: mailFolder,
    virtual_alias_maps: map('aliases'),
    virtual_uid_maps: `static:${mailId}`,
    virtual_gid_maps: `static:${mailId}`,
    virtual_minimum_uid: '1',
    virtual_mailbox_limit: '0',
    mailbox_size_limit: '0',
    transport_maps: map('routes'),
    default_transport: 'error:5.4.4 No route to this domain',

    smtpd_relay_restrictions: 'permit_sasl_authenticated, reject_unauth_destination',
    smtpd_recipient_restrictions: 'reject_non_fqdn_recipient, reject_unlisted_recipient',
    smtpd_sasl_type: 'dovecot',
    smtpd_sasl_path: given.saslSocket,
    smtpd_tls_security_level: 'may',
    smtpd_tls_auth_only: 'yes',
    smtpd_tls_chain_files: `${folder}/certificate.pem`,
    smtp_tls_security_level: 'may',
    message_size_limit: '62914560',
    smtpd_client_connection_count_limit: '0',
    smtpd_error_sleep_time: '0',
    smtpd_soft_error_limit: '1000',
    smtpd_hard_error_limit: '1000',
    in_flow_delay: '0',
    minimal_backoff_time: '1s',
    maximal_backoff_time: '1s',
    queue_run_delay: '1s',
    smtp_connect_timeout: '10s',
    ...given.settings,
  })
}

/** The services of `master.cf`: a port for mail from elsewhere, two for submission, and what Postfix itself needs. */
export function masterSettings(given: {
  port: number
  submissionPort: number
  submissionsPort: number
}): string {
  const submission = `smtpd
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject`
  return `
127.0.0.1:${given.port} inet n - n - - smtpd
127.0.0.1:${given.submissionPort} inet n - n - - ${submission}
  -o smtpd_tls_security_level=encrypt
127.0.0.1:${given.submissionsPort} inet n - n - - ${submission}
  -o smtpd_tls_wrappermode=yes
postlog unix-dgram n - n - 1 postlogd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
virtual unix - n n - - virtual
smtp unix - - n - - smtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
`
}

function lines(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')
}
