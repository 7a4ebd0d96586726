import { setTimeout as sleep } from 'node:timers/promises'
import { isFullRun } from '@reticle/kit/testing/config'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { recordScore } from '@reticle/kit/testing/scores'
import { expect, onTestFinished, test } from 'vitest'
import {
  expireMessageLeases,
  noFaults,
  readBusEvents,
  scoreOf,
  waitForDeliveries,
} from '../support/deliveries.ts'
import { prepareGround, startFlow } from '../support/flow.ts'
import { openRandom } from '../support/random.ts'
import { recordMessages } from '../support/received-messages.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'

const { kills, events } = isFullRun() ? { kills: 50, events: 5000 } : { kills: 2, events: 100 }

const seed = 35
const env = {
  RETICLE_GATEWAY_RATE_USER: '1000000',
  RETICLE_WEBHOOKS_RETRY_SECONDS: '1,1,1,1,1,1',
}

/** No event is lost for webhooks although the single process is killed again and again. */
test(`${events} events reach three webhooks although the process is killed ${kills} times`, {
  timeout: isFullRun() ? 3_600_000 : 300_000,
}, async () => {
  const { path, remove } = dataDirectory()
  const receiver = await startReceiver()
  let reticle: Reticle = await startReticle(path, env)
  onTestFinished(async () => {
    await reticle.stop()
    await receiver.close()
    remove()
  })
  const hearing = recordMessages(receiver)
  const ground = await prepareGround(reticle.admin, receiver.url, 2)
  let isOver = false
  const flow = startFlow({
    ...{ apis: () => [reticle.admin], ground },
    isEnough: (made) => isOver || made >= events,
    isAhead: () => false,
  })
  const random = openRandom(seed)
  const killing = async () => {
    for (let life = 1; life <= kills; life++) {
      const enough = (events * (life - random.next())) / (kills + 1)
      while (flow.events() < enough) await sleep(1)
      const database = await reticle.people()
      await reticle.kill()
      // After the last kill the leases expire by themselves.
      if (life < kills) await expireMessageLeases(database)
      reticle = await startReticle(path, env)
    }
  }
  try {
    await Promise.all([flow.done, killing()])
  } finally {
    isOver = true
  }

  const seen = await waitForDeliveries({
    ...{ webhooks: ground.webhooks, hearing, acknowledged: flow.acknowledged },
    truth: async () => readBusEvents(await reticle.people()),
    database: () => reticle.people(),
    ...{ failed: new Set<string>(), patienceMs: 120_000 },
  })
  recordScore({ id: 'T-WH-1', on: 'one process', seed, ...scoreOf(seen, `${kills} kills`) })
  for (const { webhook, expected, verdict } of seen) {
    expect(expected, `events of webhook ${webhook}`).toBeGreaterThanOrEqual(events)
    expect(verdict, `webhook ${webhook}`).toEqual(noFaults)
  }
  expect(hearing.contradicted, 'one id, one body').toEqual([])
})
