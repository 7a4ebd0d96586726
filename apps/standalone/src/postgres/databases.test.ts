import { expect, test } from 'vitest'
import { freePort } from '../free-port.ts'
import { prepareDatabase } from './databases.ts'

test.each(['127.0.0.1', 'localhost'])(
  'a database without a server on %s is named',
  async (host) => {
    const url = `postgres://anna:hush@${host}:${await freePort()}/x`
    const failed = prepareDatabase(url, () => 'secret')
    await expect(failed).rejects.toThrow(
      /^No database server answers at \S+:\d+ \(ECONNREFUSED\): .*RETICLE_DATABASE_URL/,
    )
    await expect(failed).rejects.not.toThrow('hush')
  },
)
