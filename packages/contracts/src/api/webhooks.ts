import { z } from 'zod'
import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { partFacts } from '../rest/server.ts'
import {
  delivery,
  deliveryList,
  deliveryParams,
  messageList,
  messagesToRedeliver,
  redelivered,
  secretRotation,
  webhook,
  webhookCreate,
  webhookEventNames,
  webhookEventsQuery,
  webhookList,
  webhookMessage,
  webhookPatch,
  webhookPut,
} from '../rest/webhooks.ts'
import { defineOperations, del, get, internal, patch, post, put } from './operation.ts'

export const webhooks = defineOperations('WebhookService', {
  listWebhooks: get('/webhooks', {
    query: webhookList,
    answers: { 200: page(webhook, 'WebhookPage') },
  }),
  createWebhook: post('/webhooks', {
    body: webhookCreate,
    etag: 'date',
    answers: { 201: webhook },
  }),
  getWebhook: get('/webhooks/:id', { params: idParams, etag: 'date', answers: { 200: webhook } }),
  updateWebhook: patch('/webhooks/:id', {
    params: idParams,
    headers: ifMatch,
    body: webhookPatch,
    etag: 'date',
    answers: { 200: webhook },
  }),
  replaceWebhook: put('/webhooks/:id', {
    params: idParams,
    headers: ifMatch,
    body: webhookPut,
    etag: 'date',
    answers: { 200: webhook },
  }),
  deleteWebhook: del('/webhooks/:id', {
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
  }),
  /** Lists the names of events, which are public. */
  listWebhookEvents: get('/webhooks/events', {
    query: webhookEventsQuery,
    answers: { 200: webhookEventNames },
  }),
  /** Sends an event `ping` and waits for the response, even if the webhook is inactive. */
  pingWebhook: post('/webhooks/:id/ping', {
    params: idParams,
    etag: 'date',
    answers: { 200: delivery },
    within: 20,
  }),
  rotateWebhookSecret: post('/webhooks/:id/rotate_secret', {
    params: idParams,
    body: secretRotation,
    etag: 'date',
    answers: { 200: webhook },
  }),
  /** Returns the limits of this service. */
  describe: internal({ answers: { 200: partFacts } }),
  listDeliveries: get('/webhooks/:id/deliveries', {
    params: idParams,
    query: deliveryList,
    answers: { 200: page(delivery, 'DeliveryPage') },
  }),
  /** Sends the same bytes again, in a single attempt. */
  redeliver: post('/webhooks/:id/deliveries/:delivery_id/redelivery', {
    params: deliveryParams,
    answers: { 200: z.object({}).meta({ id: 'WebhookRedelivery' }) },
  }),
  listWebhookMessages: get('/webhooks/:id/messages', {
    params: idParams,
    query: messageList,
    answers: { 200: page(webhookMessage, 'WebhookMessagePage') },
  }),
  redeliverMessages: post('/webhooks/:id/messages/redeliver', {
    params: idParams,
    body: messagesToRedeliver,
    answers: { 202: redelivered },
  }),
  getDelivery: get('/webhooks/:id/deliveries/:delivery_id', {
    params: deliveryParams,
    etag: 'date',
    answers: { 200: delivery },
  }),
})
