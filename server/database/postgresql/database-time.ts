/** The time of PostgreSQL in SQL, in milliseconds since 1970, as `nodes.leaseUntil` has it. */
export const DATABASE_TIME = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** In SQL, of a row of `nodes`: whether the server has renewed its lease in time. */
export const IS_LEASED = `lease_until > ${DATABASE_TIME}`
