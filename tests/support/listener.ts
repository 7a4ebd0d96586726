import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { expect, vi } from 'vitest'
import type { AnyJson, ApiClient } from './client.ts'
import type { TestOrganization } from './people.ts'

const patience = { timeout: 60_000, interval: 20 }

/** Returns all events that a webhook of that type can subscribe to. */
export const eventsOf = (type: 'organization' | 'project') =>
  Object.keys(webhookEvents).filter((name) => webhookEvents[name]?.includes(type))

export type Listener = Awaited<ReturnType<typeof startListener>>

/** Starts the receiver of a test file. Each webhook has a name, which is the path of its target. */
export async function startListener() {
  const receiver = await startReceiver()
  const taken = new Map<string, number>()

  /** Messages that a webhook has received, in the order of arrival. */
  const listReceived = (name: string): AnyJson[] =>
    receiver.received
      .filter(({ path }) => path === `/${name}`)
      .map(({ body }) => JSON.parse(body.toString()))

  const add = (api: ApiClient, name: string, json: object, query = ''): Promise<AnyJson> =>
    api.done('POST', `/webhooks${query}`, {
      json: { target_url: `${receiver.url}/${name}`, ...json },
    })

  /** Returns the next messages of a webhook, after those that were taken before. */
  async function take(name: string, count: number): Promise<AnyJson[]> {
    const from = taken.get(name) ?? 0
    const isThere = () => expect(listReceived(name).length).toBeGreaterThanOrEqual(from + count)
    await vi.waitFor(isThere, patience).catch(() => undefined) // the comparison below shows the messages that arrived
    const came = listReceived(name).slice(from)
    taken.set(name, from + came.length)
    return came
  }

  /** Waits until a webhook has received these events, among others. */
  const until = (name: string, ...events: string[]) =>
    vi.waitFor(
      () => expect(eventsIn(listReceived(name))).toEqual(expect.arrayContaining(events)),
      patience,
    )

  /** Creates a webhook of an organization, and waits until earlier events of the organization have been processed. */
  async function ofOrganization(
    api: ApiClient,
    name: string,
    { id, slug }: Pick<TestOrganization, 'id' | 'slug'>,
  ): Promise<AnyJson> {
    const events = eventsOf('organization')
    const hook = await add(api, name, { type: 'organization', events }, `?org=${slug}`)
    await api.done('PATCH', `/organizations/${id}`, { json: { description: name } })
    await until(name, 'update:organization')
    taken.set(name, listReceived(name).length)
    return hook
  }

  return {
    listReceived,
    take,
    until,
    ofOrganization,
    ofProject: (api: ApiClient, name: string, project_id: number, events = eventsOf('project')) =>
      add(api, name, { type: 'project', project_id, events }),
    url: receiver.url,
    close: receiver.close,
  }
}

export const eventsIn = (payloads: AnyJson[]): string[] => payloads.map(({ event }) => event)

/** Returns the key of the record in a payload: `task` of `update:task`. */
export const resourceOf = (event: string) => event.replace(/\[.*/, '').replace(/^.*:/, '')

/**
 * Returns the messages of a webhook, delivered or not. They are written in one transaction for all webhooks, so once
 * one webhook has received an event, this list is complete for the others too.
 */
export async function messagesOf(api: ApiClient, hook: AnyJson): Promise<AnyJson[]> {
  return (await api.done('GET', `/webhooks/${hook.id}/messages?page_size=100`)).results
}
