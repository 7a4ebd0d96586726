import { setTimeout as sleep } from 'node:timers/promises'
import { createEventType } from '@reticle/contracts/events/define'
import { type Generated, type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { Migrations } from '../../db/migrate.ts'
import { emitAll } from '../../outbox/emit.ts'
import {
  keyDeadEvents,
  type OutboxTables,
  outboxSentTable,
  outboxTables,
} from '../../outbox/tables.ts'
import type { Bus, Handle } from '../bus.ts'

export interface ContractTables extends OutboxTables {
  effects: { id: Generated<number>; reader: string; event_id: string; key: string; n: number }
}

/** Migrations of the service of the suite, in the schema `contract`. */
export const contractMigrations: Migrations = {
  '0001-effects': {
    up: async (db: Kysely<unknown>) => {
      await outboxTables(db, 'contract')
      await outboxSentTable(db, 'contract')
      await keyDeadEvents(db, 'contract')
      await sql`
        create table effects (
          id bigint generated always as identity,
          reader text not null, event_id uuid not null, key text not null, n integer not null
        )`.execute(db)
    },
  },
}

export interface Rig {
  db: Kysely<ContractTables>
  /** Opens a bus like another process would. A relay of the outbox must be running on one of them. */
  openBus: () => Bus
}

export const counted = createEventType('counted.up', {
  key: ({ key }) => key,
  data: z.object({ key: z.string(), n: z.int(), padding: z.string().optional() }),
})
export const { topic } = counted
export const cause = { principal: null, request_id: 'contract' }
export const until = { timeout: 60_000, interval: 20 }
export const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

export type Suite = ReturnType<typeof openSuite>

export function openSuite({ db, openBus }: Rig) {
  const buses: Bus[] = []
  const newBus = () => {
    const bus = openBus()
    buses.push(bus)
    return bus
  }
  const publish = (key: string, from: number, to: number) =>
    db.transaction().execute((tx) => {
      const facts = upTo(to - from + 1).map((n) => ({ key, n: from + n - 1 }))
      return emitAll(tx, counted, facts, cause)
    })
  const effects = (reader: string) =>
    db.selectFrom('effects').selectAll().where('reader', '=', reader).orderBy('id').execute()
  const dead = (consumer: string) =>
    db
      .selectFrom('dead_events')
      .select(['key', 'error', 'value', 'replayed_date'])
      .where('consumer', '=', consumer)
      .execute()
  return {
    db,
    newBus,
    publish,
    effects,
    dead,
    numbers: async (reader: string) => (await effects(reader)).map(({ n }) => n),
    subscribe: (group: string, handle: Handle<ContractTables>, bus = newBus()) =>
      bus.subscribe({ group, topic, db, handle }),
    close: async () => {
      await Promise.all(buses.map((bus) => bus.close()))
    },
  }
}

/** Creates a handler that records the events whose key begins with `prefix:`. */
export function createRecorder(
  reader: string,
  prefix: string,
  before?: Handle<ContractTables>,
): Handle<ContractTables> {
  return async (tx, event, afterCommit) => {
    if (!event.key.startsWith(`${prefix}:`)) return
    await before?.(tx, event, afterCommit)
    const { key, n } = counted.data.parse(event.data)
    await tx.insertInto('effects').values({ reader, event_id: event.id, key, n }).execute()
  }
}

export const slowly = (ms: number) => async () => {
  await sleep(ms)
}

/**
 * Adds the search path to an address, for the separate pools of relays and members. A service role has it set, but the
 * administrator of the tests does not.
 */
export function withPath(given: string): string {
  const changed = new URL(given)
  changed.searchParams.set('options', '-c search_path=contract,bus')
  return changed.href
}
