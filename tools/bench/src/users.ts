/** Registers a user; returns the `Authorization` header of its calls. */
export async function registerUser(api: string, username: string): Promise<string> {
  const password = 'a-strong-bench-phrase-1'
  const json = {
    username,
    email: `${username}@example.org`,
    password1: password,
    password2: password,
  }
  const answer = await fetch(`${api}/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...json, first_name: '', last_name: '' }),
  })
  if (!answer.ok) throw new Error(`register: ${answer.status} ${await answer.text()}`)
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
