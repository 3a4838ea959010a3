#include "internal.h"

#include <stdlib.h>

/* Threads for what may have to wait for another machine, so that neither workers nor the streams' thread ever do. First
 * come, first served. */

static struct task *take(struct waiters *waiters) {
  struct task *first = waiters->first;
  if (!first) return NULL;
  waiters->first = first->next;
  if (!waiters->first) waiters->end = &waiters->first;
  return first;
}

static void *run(void *closure) {
  struct waiters *waiters = closure;
  pthread_mutex_lock(&waiters->lock);
  while (!waiters->stopping) {
    struct task *task = take(waiters);
    if (!task) {
      waiters->idle++;
      pthread_cond_wait(&waiters->given, &waiters->lock);
      waiters->idle--;
      continue;
    }
    pthread_mutex_unlock(&waiters->lock);
    task->run(task, false);
    pthread_mutex_lock(&waiters->lock);
  }
  pthread_mutex_unlock(&waiters->lock);
  return NULL;
}

bool waiters_give(struct waiters *waiters, struct task *task) {
  pthread_mutex_lock(&waiters->lock);
  /* In this order: `running` changes without the lock once they are stopping. */
  bool taken = !waiters->stopping && waiters->running > 0;
  if (taken) {
    task->next = NULL;
    *waiters->end = task;
    waiters->end = &task->next;
    if (waiters->idle > 0) pthread_cond_signal(&waiters->given);
  }
  pthread_mutex_unlock(&waiters->lock);
  return taken;
}

bool waiters_start(struct waiters *waiters, unsigned count) {
  pthread_mutex_init(&waiters->lock, NULL);
  pthread_cond_init(&waiters->given, NULL);
  waiters->end = &waiters->first;
  if (count == 0) return true;
  waiters->threads = calloc(count, sizeof *waiters->threads);
  if (!waiters->threads) return false;
  for (; waiters->running < count; waiters->running++) {
    if (pthread_create(&waiters->threads[waiters->running], NULL, run, waiters)) return false;
    pthread_setname_np(waiters->threads[waiters->running], "waiter");
  }
  return true;
}

/* What is still waiting then is given up. */
void waiters_stop(struct waiters *waiters) {
  pthread_mutex_lock(&waiters->lock);
  waiters->stopping = true;
  pthread_cond_broadcast(&waiters->given);
  pthread_mutex_unlock(&waiters->lock);
  for (; waiters->running > 0; waiters->running--) pthread_join(waiters->threads[waiters->running - 1], NULL);
  for (struct task *task; (task = take(waiters));) task->run(task, true);
}

void waiters_free(struct waiters *waiters) {
  if (!waiters->end) return;
  pthread_mutex_destroy(&waiters->lock);
  pthread_cond_destroy(&waiters->given);
  free(waiters->threads);
}
