import { type Kysely, sql, type Transaction } from 'kysely'

/**
 * Runs a change that a caller may ask for twice (a retry after a cut connection) only once: the repeat gets the answer of
 * the first time (`reliability.md` 13). The answer is kept for a day, in the same transaction as the change; it must
 * survive JSON. A failure keeps nothing, so that a repeat runs again.
 */
export async function applyOnce<T, R>(
  tx: Transaction<T>,
  callId: string,
  run: () => Promise<R>,
): Promise<R> {
  const { numAffectedRows } = await sql`
    insert into applied_calls (call_id) values (${callId}) on conflict do nothing`.execute(tx)
  const known = numAffectedRows === 0n && (await answerOf<T, R>(tx, callId))
  if (known) return known.answer

  const answer = await run()
  const response = Buffer.from(JSON.stringify(answer ?? null))
  await sql`update applied_calls set response = ${response} where call_id = ${callId}`.execute(tx)
  return answer
}

/** The same where the answer is known only at the end of the change. False: the call has been applied already. */
export async function noteApplied<T>(
  tx: Transaction<T>,
  callId: string,
  answer: unknown,
): Promise<boolean> {
  const response = Buffer.from(JSON.stringify(answer))
  const { numAffectedRows } = await sql`
    insert into applied_calls (call_id, response) values (${callId}, ${response})
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}

/** What a call was answered when it was applied; nothing when it has not been. */
export async function answerOf<T, R>(
  db: Kysely<T>,
  callId: string,
): Promise<{ answer: R } | undefined> {
  const { rows } = await sql<{ response: Buffer }>`
    select response from applied_calls where call_id = ${callId}`.execute(db)
  const [row] = rows
  return row && { answer: JSON.parse(String(row.response)) }
}
