import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testIdentity } from '../testing.ts'

/** Administrator rights: the group `admin`, `is_staff` and `is_superuser` never contradict each other. */

const { over, addUser, as } = await testIdentity()
const root = await addUser({ username: 'root', role: 'admin' })

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const boss = as(root)
  const whole = (id: number) => identity.getUser({ id }, boss)
  const changed = (id: number, body: object) => identity.updateUser({ id, body }, boss)

  const administrator = { is_staff: true, is_superuser: true, has_analytics_access: true }
  const noAdministrator = { is_staff: false, is_superuser: false, has_analytics_access: false }
  test.each([
    [{ groups: ['admin'] }, { groups: ['admin'], ...administrator }],
    [{ is_staff: true }, { groups: ['admin'], ...administrator }],
    [{ is_superuser: true }, { groups: ['admin'], ...administrator }],
    [
      { is_staff: true, is_superuser: true },
      { groups: ['admin'], ...administrator },
    ],
    [
      { groups: ['admin', 'user'], is_staff: true },
      { groups: ['admin'], ...administrator },
    ],
    [{ is_superuser: false }, { groups: ['worker'], ...noAdministrator }],
    [
      { groups: ['user'], is_superuser: false },
      { groups: ['user'], ...noAdministrator },
    ],
  ])('%j changes a worker to %j', async (body: object, expected) => {
    const user = await addUser({ role: 'worker' })
    expect(await changed(user.id, body)).toMatchObject(expected)
    expect(await whole(user.id)).toMatchObject(expected)
    expect((await identity.getSelf({}, as(user))).groups).toEqual(expected.groups)
  })

  test.each([
    [{ groups: ['user'] }, ['user']],
    [{ groups: [] }, []],
    [{ is_staff: false }, ['user']],
    [{ is_superuser: false }, ['user']],
    [{ groups: ['worker'], is_staff: false, is_superuser: false }, ['worker']],
  ])('%j removes the rights of an administrator', async (body: object, groups) => {
    for (const stored of [{}, { is_staff: true, is_superuser: true }]) {
      const user = await addUser({ role: 'admin', ...stored })
      const expected = { groups, ...noAdministrator }
      expect(await changed(user.id, body)).toMatchObject(expected)
      expect(await whole(user.id)).toMatchObject(expected)
    }
  })

  test.each([
    [{ groups: ['admin'], is_superuser: false }, 'is_superuser'],
    [{ groups: ['user'], is_staff: true }, 'is_staff'],
    [{ groups: [], is_superuser: true }, 'is_superuser'],
    [{ is_superuser: true, is_staff: false }, 'is_staff'],
  ])('%j contradicts itself and is rejected', async (body: object, field) => {
    const user = await addUser()
    const before = await whole(user.id)
    await expect(changed(user.id, body)).rejects.toMatchObject({
      kind: 'invalid',
      body: { [field]: [expect.stringContaining('This contradicts')] },
    })
    expect(await whole(user.id)).toEqual(before)
  })

  test('an administrator stored by a former release is shown as one everywhere', async () => {
    const user = await addUser({ role: 'worker', is_staff: true, is_superuser: true })
    expect(await whole(user.id)).toMatchObject({ groups: ['admin'], ...administrator })
    expect((await changed(user.id, { is_staff: false })).groups).toEqual(['user'])
    const half = await addUser({ role: 'worker', is_superuser: true })
    expect(await whole(half.id)).toMatchObject({ groups: ['worker'], ...noAdministrator })
  })
})
