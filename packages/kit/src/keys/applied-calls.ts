import { type Kysely, sql, type Transaction } from 'kysely'

/**
 * Runs a change that a caller may send twice (a retry after a broken connection) only once; the repetition gets the
 * stored response. The response is stored for a day, in the transaction of the change, and must survive JSON. A failure
 * stores nothing, so that a repetition runs again.
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

/**
 * Records a call whose response is known only at the end of the change.
 * Returns false if the call has already been applied.
 */
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

/** Returns the response of a call, or undefined if it has not been applied. */
export async function answerOf<T, R>(
  db: Kysely<T>,
  callId: string,
): Promise<{ answer: R } | undefined> {
  const { rows } = await sql<{ response: Buffer }>`
    select response from applied_calls where call_id = ${callId}`.execute(db)
  const [row] = rows
  return row && { answer: JSON.parse(String(row.response)) }
}
