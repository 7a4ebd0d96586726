import { type Reply, startReceiver } from '@reticle/kit/testing/receiver'
import { type MessageLog, recordMessages } from '@reticle/tests/support/received-messages'

/** Receivers of webhooks: one that always answers, and one for each kind of misbehaviour. */
export interface Receivers {
  good: string
  /** Addresses of receivers that misbehave in different ways. */
  bad: string[]
  hearing: MessageLog
  /** Number of calls to misbehaving receivers. */
  provoked: () => number
  close: () => Promise<void>
}

const manners: Record<string, Reply> = {
  hang: { status: 'hang' },
  fail: { status: 500, body: 'no' },
  reset: { status: 'reset' },
  redirect: { status: 302, headers: { location: 'http://127.0.0.1:1/elsewhere' } },
  slow: { delay_ms: 6000 },
  flood: { body: Buffer.alloc(8 << 20, 'x') },
}

/** Starts all receivers. */
export async function startReceivers(): Promise<Receivers> {
  const [good, bad] = [await startReceiver(), await startReceiver()]
  let provoked = 0
  bad.answer(({ path }) => {
    bad.received.length = 0
    provoked++
    return manners[path.slice(1)] ?? { status: 404 }
  })
  return {
    good: `${good.url}/good`,
    bad: Object.keys(manners).map((name) => `${bad.url}/${name}`),
    hearing: recordMessages(good),
    provoked: () => provoked,
    close: async () => {
      await Promise.all([good.close(), bad.close()])
    },
  }
}
