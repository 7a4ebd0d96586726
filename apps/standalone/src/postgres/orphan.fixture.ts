import pg from 'pg'
import { startPostgres } from './server.ts'

/** Child process that starts a server in the given data directory, sends its address, and waits to be killed. */
const [dataDir = ''] = process.argv.slice(2)
const { url } = await startPostgres({ dataDir, settings: { fsync: 'off', shared_buffers: '16MB' } })
const client = new pg.Client({ connectionString: url })
await client.connect()
await client.query('create table kept as select 7 as n')
await client.end()
process.send?.(url)
setInterval(() => undefined, 1000)
