import type { Command } from 'commander'
import { invitation, membership, org, token, user } from '../resources/accounts.ts'
import { cloudstorage, request, webhook } from '../resources/connections.ts'
import { job, label, project, task } from '../resources/projects.ts'
import { addGroup, addResource } from '../resources/resource.ts'
import { comment, guide, issue } from '../resources/review.ts'
import type { CliContext } from '../session/command-session.ts'
import {
  addCloudStorageCommands,
  addInvitationCommands,
  addOrganizationCommands,
  addRequestCommands,
  addWebhookCommands,
} from './resource-commands.ts'
import { addTaskCreate } from './task-create.ts'

/** Adds a group of commands for each kind of object. */
export function addResources(program: Command, context: CliContext): void {
  const group = (word: string, description: string) => addGroup(program, word, description)
  addResource(group('project', 'Projects: labels, and the tasks that share them'), context, project)
  const tasks = group('task', 'Tasks: media to annotate, split into jobs')
  addTaskCreate(tasks, context)
  addResource(tasks, context, task)
  addResource(group('job', 'Jobs: parts of tasks, each with an assignee'), context, job)
  addResource(group('label', 'Labels of projects and tasks'), context, label)
  addResource(group('issue', 'Issues: problems that reviewers report'), context, issue)
  addResource(group('comment', 'Comments on issues'), context, comment)
  addResource(group('guide', 'Guides: instructions for annotators'), context, guide)
  const organizations = group('org', 'Organizations')
  addResource(organizations, context, org)
  addOrganizationCommands(organizations, context)
  addResource(group('membership', 'Members of an organization'), context, membership)
  const invitations = group('invitation', 'Invitations to an organization')
  addResource(invitations, context, invitation)
  addInvitationCommands(invitations, context)
  addResource(group('user', 'Users'), context, user)
  addResource(group('token', 'Your access tokens'), context, token)
  const webhooks = group('webhook', 'Webhooks: receivers of events')
  addResource(webhooks, context, webhook)
  addWebhookCommands(webhooks, context)
  const storages = group('cloudstorage', 'Cloud storages: connected buckets')
  addResource(storages, context, cloudstorage)
  addCloudStorageCommands(storages, context)
  const requests = group('request', 'Requests: background work')
  addResource(requests, context, request)
  addRequestCommands(requests, context)
}
