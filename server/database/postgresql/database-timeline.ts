/** In SQL. Another one after each failover, and after a restore to a point in time. */
export const DATABASE_TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'
