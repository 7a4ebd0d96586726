import { Failure } from '../failures/failure.ts'
import type { CommandSession } from '../session/command-session.ts'

/** Returns the id of a user from an id, a username, `me` or `none`. */
export async function findUser(session: CommandSession, text: string): Promise<number | null> {
  if (text === 'none') return null
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  const { signal } = session
  const client = await session.client()
  if (text === 'me') return (await client.getSelf({}, { signal })).id
  const { results } = await client.listUsers({ username: text }, { signal })
  const user = results.find(({ username }) => username.toLowerCase() === text.toLowerCase())
  if (user) return user.id
  throw new Failure(`There is no user "${text}" among those you may see`, {
    ending: 'missing',
    code: 'no_user',
    hint: 'Use --organization to find members of an organization, or use an id.',
  })
}
