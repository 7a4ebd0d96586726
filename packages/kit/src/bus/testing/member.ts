import { z } from 'zod'
import { openDatabase } from '../../db/connect.ts'
import { silentLog } from '../../observe/log.ts'
import { startRelay } from '../../outbox/relay.ts'
import { kafkaBus } from '../kafka.ts'
import { postgresBus } from '../postgres.ts'
import { type ContractTables, createRecorder, topic } from './rig.ts'

/** Command line argument of a soak process, as JSON. */
export const role = z.object({
  does: z.enum(['relay', 'reader']),
  /** Database address with its search path. */
  url: z.string(),
  /** Kafka cluster; if absent, the bus is that of PostgreSQL. */
  kafka: z.object({ brokers: z.array(z.string()), prefix: z.string() }).optional(),
})
export type SoakRole = z.infer<typeof role>

/** Runs one process of a soak: a relay or a reader, until it is killed or its parent has exited. */
function work({ does, url, kafka }: SoakRole): void {
  const onError = () => undefined
  const bus = kafka
    ? kafkaBus({ ...kafka, clientId: 'soak', log: silentLog, sessionMs: 6000, onError })
    : postgresBus({ url, onError })
  if (does === 'relay') startRelay({ url, schema: 'contract', bus, onError })
  else {
    const { db } = openDatabase<ContractTables>(url, { application: 'soak' })
    bus.subscribe({ group: 'soak', topic, db, handle: createRecorder('soak', 'soak') })
  }
  process.once('disconnect', () => process.exit())
}

work(role.parse(JSON.parse(process.argv[2] ?? '')))
