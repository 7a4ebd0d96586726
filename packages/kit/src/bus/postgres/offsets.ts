import { sql, type Transaction } from 'kysely'
import { batchSize, type Message } from '../attempt.ts'
import type { Group } from '../bus.ts'

/** Claim of a group member on a partition. */
export interface PartitionLease {
  member: string
  partition: number
}

const leaseEnd = sql`now() + interval '15 seconds'`

/** Registers the group as active, so that retention keeps the messages it has not read. */
export async function joinGroup<T>({ db, group, topic }: Group<T>): Promise<void> {
  await sql`
    insert into bus.bus_offsets ("group", topic, partition)
    select ${group}, topic, partition from bus.bus_heads where topic = ${topic}
    on conflict do nothing`.execute(db)
  await touchGroup({ db, group, topic })
}

/** Marks the group as active. It must be called well within the time that messages are kept. */
export async function touchGroup<T>({ db, group, topic }: Group<T>): Promise<void> {
  await sql`
    update bus.bus_offsets set lease_until = now()
    where "group" = ${group} and topic = ${topic} and owner is null`.execute(db)
}

/**
 * Claims any partition that has messages and no living owner, and
 * returns its number, or undefined without such a partition.
 */
export async function takePartition<T>(
  { db, group, topic }: Group<T>,
  member: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ partition: number }>`
    with free as materialized (
      select c.partition from bus.bus_offsets c join bus.bus_heads h using (topic, partition)
      where c."group" = ${group} and c.topic = ${topic} and c.next < h.next
        and (c.owner is null or c.lease_until <= now())
      order by random() limit 1 for update of c skip locked
    )
    update bus.bus_offsets o set owner = ${member}, lease_until = ${leaseEnd} from free
    where o."group" = ${group} and o.topic = ${topic} and o.partition = free.partition
    returning o.partition`.execute(db)
  return rows[0]?.partition
}

/** Returns the number of messages that the group has not handled, in all partitions. */
export async function lagOf<T>({ db, group, topic }: Group<T>): Promise<number> {
  const { rows } = await sql<{ lag: number }>`
    select coalesce(sum(h.next - c.next), 0)::float8 as lag
    from bus.bus_offsets c join bus.bus_heads h using (topic, partition)
    where c."group" = ${group} and c.topic = ${topic}`.execute(db)
  return rows[0]?.lag ?? 0
}

/** Locks the row and returns the next offset, or undefined if the partition belongs to another member now. */
export async function lockOffset<T>(
  tx: Transaction<T>,
  { group, topic }: Group<T>,
  { member, partition }: PartitionLease,
): Promise<number | undefined> {
  const { rows } = await sql<{ next: number }>`
    select next from bus.bus_offsets
    where "group" = ${group} and topic = ${topic} and partition = ${partition} and owner = ${member}
    for update`.execute(tx)
  return rows[0]?.next
}

export async function readMessages<T>(
  tx: Transaction<T>,
  { topic }: Group<T>,
  { partition, next }: { partition: number; next: number },
): Promise<Message[]> {
  const { rows } = await sql<Message>`
    select "offset", event_id, key, headers, value from bus.bus_messages
    where topic = ${topic} and partition = ${partition} and "offset" >= ${next}
    order by "offset" limit ${batchSize}`.execute(tx)
  return rows
}

/** Moves the offset and extends the lease. */
export async function moveOffset<T>(
  tx: Transaction<T>,
  { group, topic }: Group<T>,
  { partition, next }: { partition: number; next: number },
): Promise<void> {
  await sql`
    update bus.bus_offsets set next = ${next}, lease_until = ${leaseEnd}
    where "group" = ${group} and topic = ${topic} and partition = ${partition}`.execute(tx)
}

/** Releases a partition. With a pause it stays claimed for that time, so that no member skips the event that failed. */
export async function releasePartition<T>(
  { db, group, topic }: Group<T>,
  { member, partition }: PartitionLease,
  pauseMs: number,
): Promise<void> {
  const owner = pauseMs > 0 ? member : null
  const until = sql`now() + ${pauseMs} * interval '1 millisecond'`
  await sql`
    update bus.bus_offsets set owner = ${owner}, lease_until = ${until}
    where "group" = ${group} and topic = ${topic} and partition = ${partition} and owner = ${member}
  `.execute(db)
}

export async function leaveGroup<T>({ db, group, topic }: Group<T>, member: string): Promise<void> {
  await sql`
    update bus.bus_offsets set owner = null, lease_until = now()
    where "group" = ${group} and topic = ${topic} and owner = ${member}`.execute(db)
}

/** Restarts every partition at `offset`. A member that is working on one loses it and commits nothing further. */
export async function replayGroup<T>(
  { db, group, topic }: Group<T>,
  offset: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`
      update bus.bus_offsets set next = ${offset}, owner = null, lease_until = now()
      where "group" = ${group} and topic = ${topic}`.execute(tx)
    await sql`
      delete from inbox i using bus.bus_messages m
      where i.consumer = ${group} and m.event_id = i.event_id
        and m.topic = ${topic} and m."offset" >= ${offset}`.execute(tx)
  })
}
