/** The time of PostgreSQL in SQL, in milliseconds since 1970, as `nodes.leaseUntil` has it. */
export const DATABASE_TIME = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
