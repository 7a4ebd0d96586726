import type { Command } from 'commander'
import { cloudstorage, request, webhook } from '../resources/connections.ts'
import { invitation, membership, org, token, user } from '../resources/people.ts'
import { addGroup, addResource } from '../resources/resource.ts'
import { comment, guide, issue } from '../resources/review.ts'
import { job, label, project, task } from '../resources/work.ts'
import type { Surroundings } from '../session.ts'
import {
  addCloudStorageCommands,
  addInvitationCommands,
  addOrganizationCommands,
  addRequestCommands,
  addWebhookCommands,
} from './more.ts'
import { addTaskCreate } from './task-create.ts'

/** Adds a group of commands for each kind of object. */
export function addResources(program: Command, around: Surroundings): void {
  const group = (word: string, about: string) => addGroup(program, word, about)
  addResource(group('project', 'Projects: labels, and the tasks that share them'), around, project)
  const tasks = group('task', 'Tasks: media to be annotated, split into jobs')
  addTaskCreate(tasks, around)
  addResource(tasks, around, task)
  addResource(group('job', 'Jobs: the parts of tasks that people work on'), around, job)
  addResource(group('label', 'Labels of projects and tasks'), around, label)
  addResource(group('issue', 'Issues: what reviewers find wrong'), around, issue)
  addResource(group('comment', 'Comments on issues'), around, comment)
  addResource(group('guide', 'Guides: what annotators are told'), around, guide)
  const organizations = group('org', 'Organizations')
  addResource(organizations, around, org)
  addOrganizationCommands(organizations, around)
  addResource(group('membership', 'Who is in an organization'), around, membership)
  const invitations = group('invitation', 'Invitations to an organization')
  addResource(invitations, around, invitation)
  addInvitationCommands(invitations, around)
  addResource(group('user', 'Users'), around, user)
  addResource(group('token', 'Access tokens of your own'), around, token)
  const webhooks = group('webhook', 'Webhooks: who is told of changes')
  addResource(webhooks, around, webhook)
  addWebhookCommands(webhooks, around)
  const storages = group('cloudstorage', 'Cloud storages: buckets that are connected')
  addResource(storages, around, cloudstorage)
  addCloudStorageCommands(storages, around)
  const requests = group('request', 'Requests: work in the background')
  addResource(requests, around, request)
  addRequestCommands(requests, around)
}
