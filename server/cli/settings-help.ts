/** Every setting of config.ts, for the help of `serve`. */
export const SETTINGS_HELP = `
Settings (environment):
  HOST, PORT               address to listen on (127.0.0.1, 3000); PORT=0 takes a free one
  BELLHOP_DATA             folder that holds everything (./data)
  DATABASE_URL             postgres://… keeps the data on PostgreSQL instead
  BELLHOP_URL              public address, for links
  BELLHOP_SECRET           key that encrypts secrets at rest (a file in the data folder)
  BELLHOP_WEBHOOK_RETRIES  waits before the retries (30s,5m,30m)
  BELLHOP_WEBHOOK_TIMEOUT  limit for one attempt (10s)
  BELLHOP_WEBHOOK_ALLOW    networks and hosts that endpoints may use although they are not public
  BELLHOP_WEBHOOK_CA       PEM file trusted for endpoints beside the system's
  BELLHOP_RATE_LIMIT       requests per key and 60 seconds (300)
  BELLHOP_TRUST_PROXY      networks whose X-Forwarded-For is believed
  BELLHOP_LOG              debug, info, warn or error (info)
  BELLHOP_TELEGRAM_API     another root of Telegram's Bot API`
