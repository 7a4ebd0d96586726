import { expect, test } from 'vitest'
import { anonymousCall, basic, testIdentity } from './testing.ts'
import { basicUsers, createUser, ensureAdministrator } from './users.ts'

const { db, over, addUser } = await testIdentity()
const identity = over('in-process')
const admin = { username: 'admin', password: 'first password', email: 'Admin@LocalHost' }

test('eight concurrent starts create the first administrator once', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => ensureAdministrator(db, admin)))
  expect(made.filter((one) => one)).toHaveLength(1)
  expect(await db.selectFrom('users').select('username').execute()).toEqual([{ username: 'admin' }])
})

test('the first administrator has all rights and a verified e-mail', async () => {
  const strict = over('in-process', { emailVerification: 'mandatory' })
  const authorization = basic('admin', 'first password')
  const { principal } = await strict.authenticate({ authorization, address: '' }, anonymousCall())
  expect(principal).toMatchObject({ role: 'admin', email: 'admin@localhost' })
})

test('later starts change neither name nor password', async () => {
  expect(await ensureAdministrator(db, { ...admin, username: 'x', password: 'y' })).toBe(false)
  const body = { username: 'admin', password: 'first password' }
  await identity.signIn({ body }, anonymousCall())
})

test('a new user has the role "user", no staff rights and an unverified e-mail', async () => {
  const user = await createUser(db, { username: 'plain', email: '', password: 'x' })
  expect(user).toMatchObject({
    role: 'user',
    is_active: true,
    is_staff: false,
    is_superuser: false,
    is_email_verified: false,
  })
})

test('several users can have no e-mail', async () => {
  await addUser({ email: '' })
  await addUser({ email: '' })
})

test.each([
  [{ username: '' }, 'username', 'Use 1 to 150 letters, digits and @ . + - _ only.'],
  [{ username: 'a b' }, 'username', 'Use 1 to 150 letters, digits and @ . + - _ only.'],
  [{ username: 'a:b' }, 'username', 'Use 1 to 150 letters, digits and @ . + - _ only.'],
  [{ username: 'x'.repeat(151) }, 'username', 'Use 1 to 150 letters, digits and @ . + - _ only.'],
  [{ email: 'no-at-sign' }, 'email', 'Enter a valid e-mail address.'],
  [{ email: 'a b@c' }, 'email', 'Enter a valid e-mail address.'],
  [
    { email: `${'x'.repeat(253)}@y` },
    'email',
    'Ensure this field has no more than 254 characters.',
  ],
  [{ password: '' }, 'password', 'Use 1 to 256 characters.'],
  [{ password: 'x'.repeat(257) }, 'password', 'Use 1 to 256 characters.'],
])('a user with %j is rejected', async (wrong, field, text) => {
  const attempt = createUser(db, { username: 'fine', email: 'f@x.org', password: 'x', ...wrong })
  await expect(attempt).rejects.toMatchObject({ kind: 'invalid', body: { [field]: [text] } })
})

test('a user name may contain letters of every alphabet', async () => {
  const { username } = await addUser({ username: 'Žofie.Łęcka+1' })
  expect(username).toBe('Žofie.Łęcka+1')
})

test.each([
  [{ username: 'ANNA' }, 'username', 'A user with that username already exists.'],
  [
    { email: 'Anna@Example.org' },
    'email',
    'A user is already registered with this e-mail address.',
  ],
  [{ username: 'anna@example.org' }, 'username', 'A user with that username already exists.'],
])('a name or e-mail is unique without regard to case: %j', async (wrong, field, text) => {
  const known = await db.selectFrom('users').select('id').where('username', '=', 'anna').execute()
  if (known.length === 0) await addUser({ username: 'anna', email: 'anna@example.org' })
  await expect(addUser(wrong)).rejects.toMatchObject({ kind: 'invalid', body: { [field]: [text] } })
})

test('two concurrent users with one name: one is created, the other is rejected', async () => {
  const attempts = [1, 2].map(() => addUser({ username: 'twice' }))
  const ends = await Promise.allSettled(attempts)
  const refused = ends.filter((end) => end.status === 'rejected')
  expect(refused).toHaveLength(1)
  expect(refused[0]?.reason).toMatchObject({
    body: { username: ['A user with that username already exists.'] },
  })
})

test('basic users are read by id, and unknown ids are left out', async () => {
  const user = await addUser({ first_name: 'Zoë' })
  const found = await basicUsers(db, [user.id, user.id, 999_999])
  expect([...found]).toEqual([
    [
      user.id,
      {
        url: `/users/${user.id}`,
        id: user.id,
        username: user.username,
        first_name: 'Zoë',
        last_name: '',
      },
    ],
  ])
})
