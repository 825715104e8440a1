/** After this a response would be out of date. It is also how long `web/request.ts` waits for one. */
const AGE_MAX_MS = 30_000;

/** A service without a request log responds to it with 404, which the browser would log as an error. */
const REQUEST_LOG_PATH = "/dashboard/requests";

/**
 * A script in the head of every React page. It sends the requests whose responses the page shows first, so that they do not wait
 * until the code of the page has been loaded: on a slow connection that takes a second. The head lists their paths;
 * `web/request.ts` takes each response once. What belongs to a user is requested at once where this browser was signed in when it
 * last knew (`web/shell/visitor.ts`), and otherwise only when the service says that the visitor is one, so that nobody else gets an
 * error; the request log only where there is one. A path that ends with `?` is for a page without filters in its URL. The script also keeps the form that the server renders
 * from being sent before React takes it over: `web/sign-in/drawn-form.ts` sends it then. It is inline, because a file would itself
 * have to be requested.
 */
export const EARLY_REQUESTS = `(function(page,responses){
function meta(name){return page.querySelector("meta[name=toolbooth-"+name+"]").content}
function send(path){return fetch(meta("base")+path,{headers:{accept:"application/json"},credentials:"same-origin",cache:"no-store",signal:AbortSignal.timeout(${AGE_MAX_MS})})}
var visitor=send("/dashboard/visitor");
var answered=visitor.then(function(response){return response.clone().json()});
var known=page.documentElement.hasAttribute("data-visitor")?Promise.resolve():answered.then(function(answer){if(!answer.user)throw answer});
var logged=answered.then(function(answer){if(!answer.user||!answer.requestLog)throw answer});
known.catch(function(){});
logged.catch(function(){});
meta("data").split(" ").forEach(function(path){
if(path.endsWith("?")){if(location.search)return;path=path.slice(0,-1)}
var response=path==="/dashboard/visitor"?visitor:(path.startsWith("${REQUEST_LOG_PATH}")?logged:known).then(function(){return send(path)});
response.catch(function(){});
responses.set(path,response)});
setTimeout(function(){responses.clear()},${AGE_MAX_MS});
toolboothResponses=responses;
page.addEventListener("submit",function(event){var form=event.target;
if(form.hasAttribute("data-drawn")){event.preventDefault();form.setAttribute("data-submitted","")}})
})(document,new Map)`.replaceAll("\n", "");
