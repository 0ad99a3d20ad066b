export { userTask } from './user-task';
export { purgeUserTasks, reconcileUserTasks, syncDirectory } from './maintenance';
